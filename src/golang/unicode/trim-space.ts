import { isSpace } from "./character-class.ts";

/** Go's `strings.TrimSpace`. JavaScript's `trim` lacks U+0085, and takes away U+FEFF. */
export function trimSpace(text: string): string {
  let begin = 0;
  let end = text.length;
  while (begin < end && isSpace(text.charCodeAt(begin))) begin += 1;
  while (end > begin && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return begin === 0 && end === text.length ? text : text.slice(begin, end);
}
