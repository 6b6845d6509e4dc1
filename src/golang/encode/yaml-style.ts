import { isPlainYamlString } from "#yaml";

/** How goyaml writes a string. */
export type YamlStyle = "plain" | "single" | "double" | "literal";

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** What version 3 reads as an integer beside what version 2 does. */
const signedOctal = /^0_*o_*[-+][0-7_]*[0-7][0-7_]*$/;

/** Whether a string could be taken for a number of base 60; goyaml.v2 reads none, but quotes such strings for those who do. */
function looksLikeBase60(text: string): boolean {
  const first = text.charCodeAt(0);
  const isNumeric = first === 0x2b || first === 0x2d || (first >= 0x30 && first <= 0x39);
  return isNumeric && base60.test(text);
}

/** What goyaml chooses. */
export function yamlStyle(text: string, version: 2 | 3): YamlStyle {
  const readsAsString = isPlainYamlString(text) && !looksLikeBase60(text) && !(version === 3 && signedOctal.test(text));
  if (readsAsString && simple.test(text)) return "plain";
  const { allowsPlain, allowsSingle, allowsLiteral } = examine(text, version);
  if (text.includes("\n")) return allowsLiteral ? "literal" : "double";
  if (!readsAsString) return "double";
  if (allowsPlain) return "plain";
  return allowsSingle ? "single" : "double";
}

const firstIndicators = new Set("#,[]{}&*!|>'\"%@`");

/** Printable ASCII without anything that would need a closer look. */
const simple = /^(?!\.\.\.)[A-Za-z0-9./][!-9;-~]*(?:(?::(?=[!-~])| (?=[ -"$-~]))[!-9;-~]*)*$/;

/** What is not printable for goyaml.v2; it takes everything beyond 16 bits for that, too. */
// oxlint-disable-next-line no-control-regex
const special = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const lineBreak = /[\n\u2028\u2029]/;

/** Looks for what forbids a style. A tab keeps version 2 from writing a text line by line, but not version 3. */
function examine(text: string, version: 2 | 3) {
  const hasTab = text.includes("\t");
  const seen = hasTab && version === 3 ? text.replaceAll("\t", "x") : text;
  const isSpecial = special.test(seen) || / [\n\u2028\u2029]/.test(text);
  const hasOuterSpace = text.startsWith(" ") || text.endsWith(" ");
  return {
    allowsPlain: !(isSpecial || hasTab || hasOuterSpace || lineBreak.test(text) || hasIndicator(text)),
    allowsSingle: !(isSpecial || hasTab || /[\n\u2028\u2029] /.test(text)),
    allowsLiteral: !(isSpecial || text.endsWith(" ")),
  };
}

/** Whether the text has a line break that goyaml.v2 sees when it writes: a key with one needs `?`. */
export function hasLineBreak(text: string): boolean {
  return /[\n\r\x85\u2028\u2029]/.test(text);
}

function hasIndicator(text: string): boolean {
  if (firstIndicators.has(text.charAt(0)) || text.startsWith("---") || text.startsWith("...")) return true;
  return /^[-?](?: |$)|:(?: |$)| #/.test(text);
}
