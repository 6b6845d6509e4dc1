/** Line breaks of YAML 1.1, which knows three more than most: next line, line separator, paragraph separator. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** A space or a tab. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** A blank, a line break, or the zero that ends the text. */
export function isBlankOrEnd(code: number): boolean {
  if (code < 0x7f)
    return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0);
  return code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBreakOrEnd(code: number): boolean {
  return code === 0 || isBreak(code);
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** What names of anchors, directives and tag handles consist of: ASCII letters, digits, `_` and `-`. */
export function isWord(code: number): boolean {
  return (
    isDigit(code) || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x2d
  );
}

/** The value of a hexadecimal digit, -1 for anything else. */
export function hexValue(code: number): number {
  if (isDigit(code)) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** `,` `?` `[` `]` `{` `}`: what ends a plain scalar inside brackets, for libyaml. */
export function isFlowIndicator(code: number): boolean {
  return code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
}
