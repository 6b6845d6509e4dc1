const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/;
const needsMore = /[<>&\u2028\u2029]/g;

/** A string as encoding/json writes it: `<`, `>` and `&` escaped unless told otherwise, a byte that is no UTF-8 as `\ufffd`. */
export function jsonString(text: string, escapesHtml = true): string {
  if (plain.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return `"${escaped(text, escapesHtml)}"`;
  const parts = text.split(/\p{Surrogate}/u).map((part) => escaped(part, escapesHtml));
  return `"${parts.join("\\ufffd")}"`;
}

function escaped(text: string, escapesHtml: boolean): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(needsMore, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x80 && !escapesHtml ? character : `\\u${code.toString(16).padStart(4, "0")}`;
    });
}
