import { type GoFunction, goFunction, trimSpace } from "#golang";

const trimAll = goFunction(["string", "string"], ([characters, text]) => trimCharacters(text, characters));

/** Takes characters off both ends of a text. */
export const trimming: Record<string, GoFunction> = {
  trim: goFunction(["string"], ([text]) => trimSpace(text)),
  trimAll,
  trimall: trimAll,
};

/** Go's `strings.Trim`, for which a byte that is no UTF-8 is the character U+FFFD. */
function trimCharacters(text: string, characters: string): string {
  const trimmed = new Set(characters.toWellFormed());
  const wellFormed = text.toWellFormed();
  let start = 0;
  let end = text.length;
  while (start < end) {
    const character = String.fromCodePoint(wellFormed.codePointAt(start) ?? 0);
    if (!trimmed.has(character)) break;
    start += character.length;
  }
  while (end > start) {
    const isPair = wellFormed.charCodeAt(end - 1) >> 10 === 0x37;
    const character = wellFormed.slice(end - (isPair ? 2 : 1), end);
    if (!trimmed.has(character)) break;
    end -= character.length;
  }
  return text.slice(start, end);
}
