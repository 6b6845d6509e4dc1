import { isPrintable, isSpace } from "#golang";

/** Text of Chart.yaml as Helm keeps it: every blank a space, and without what cannot be printed. */
export function cleanText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let clean = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isSpace(code)) clean += " ";
    else if (isPrintable(code)) clean += character;
  }
  return clean;
}
