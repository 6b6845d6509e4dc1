/** What stands between `%` and the verb. */
export interface FormatFlags {
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%+v` and `%#v` mean something else than `+` and `#` do with other verbs. */
  plusV: boolean;
  sharpV: boolean;
  width: number | undefined;
  precision: number | undefined;
}

export function noFlags(): FormatFlags {
  return {
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    plusV: false,
    sharpV: false,
    width: undefined,
    precision: undefined,
  };
}

/** How many characters Go counts: code points, and bytes that are part of none. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** The padding that fills `text` up to the width. Zeros only ever stand on the left. */
export function padded(text: string, flags: FormatFlags, zero = flags.zero): string {
  const { width, minus } = flags;
  if (width === undefined || width <= text.length >> 1) return text;
  const missing = width - runeCount(text);
  if (missing <= 0) return text;
  if (minus) return text + " ".repeat(missing);
  return (zero ? "0" : " ").repeat(missing) + text;
}
