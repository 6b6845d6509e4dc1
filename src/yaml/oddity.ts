/** Something that the quick way of reading does not judge: the text is read again with every detail kept. */
export class Oddity extends Error {
  override readonly name = "Oddity";
}
