import { isSpace, isUpper, toLower, toUpper } from "#golang";

export function isConnector(codePoint: number): boolean {
  return codePoint === 0x2d || codePoint === 0x5f || isSpace(codePoint);
}

export interface CamelCaseOptions {
  /** A word all in capitals keeps the first one only, as xstrings 1.5 does. */
  readonly lowersCapitals: boolean;
}

/** `some_words` to `SomeWords`, as xstrings does it: connectors at the beginning and doubled ones stay. */
export function toCamelCase(text: string, { lowersCapitals }: CamelCaseOptions): string {
  const codes = Array.from(text.toWellFormed(), (character) => character.codePointAt(0) ?? 0);
  const start = codes.findIndex((code) => !isConnector(code));
  // Made of connectors only: the last one comes twice.
  if (start < 0) return text + text.slice(-1);
  const first = codes[start] ?? 0;
  let camel = text.slice(0, start);
  let isInCapitals = isUpper(first);
  let previous = toUpper(first);
  for (const code of codes.slice(start + 1)) {
    let current = code;
    if (!isConnector(previous)) {
      if (isInCapitals && isUpper(code)) current = lowersCapitals ? toLower(code) : code;
      else isInCapitals = false;
      camel += String.fromCodePoint(previous);
    } else if (isConnector(code)) {
      camel += String.fromCodePoint(previous);
    } else {
      isInCapitals = isUpper(code);
      current = toUpper(code);
    }
    previous = current;
  }
  return camel + String.fromCodePoint(previous);
}
