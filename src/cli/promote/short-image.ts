import { shortDigest } from "#promotion";

/** The digits that people know an image by. */
export function shortImage(image: string): string {
  return shortDigest(image.replace(/^[^@]*@/, ""));
}
