import { isPrintable, toBytes } from "#golang";

const htmlEscapes: Readonly<Record<string, string>> = {
  "\0": "\ufffd",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

/** Go's `template.HTMLEscapeString`. */
export function escapeHtml(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

const scriptEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};

/** Go's `template.JSEscapeString`. */
export function escapeJavaScript(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\\'"<>&=\0-\x1f\x80-\u{10ffff}]/gu, (character) => {
    const known = scriptEscapes[character];
    if (known !== undefined) return known;
    const code = character.codePointAt(0) ?? 0;
    // Go reads a byte of invalid UTF-8 as U+FFFD, which is printable: it stays.
    if ((code >= 0xdc80 && code <= 0xdcff) || isPrintable(code)) return character;
    return `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

/** Go's `url.QueryEscape`. */
export function escapeQuery(text: string): string {
  const bytes = Buffer.from(toBytes(text)).toString("latin1");
  return bytes.replace(/[^\w.~-]/g, (byte) => {
    return byte === " " ? "+" : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}
