import { isPlainYamlString } from "./resolve-scalar.ts";

/** What the dialects of YAML that we write do differently. */
export interface YamlStyle {
  /** A text with spaces goes on in the next line behind column 80. */
  readonly foldsLines: boolean;
  /** The dashes of a list stand two columns to the right of its key, not right below it. */
  readonly indentsLists: boolean;
  /** A text of several lines may have tabs and still be written line by line. */
  readonly allowsTabsInLiterals: boolean;
  /** Texts that need quotes in this dialect, beside those that goyaml.v2 would not read as the same string. */
  readonly needsQuotes: (text: string) => boolean;
}

/** The four ways to write a string that we use; there are also folded blocks. */
type ScalarStyle = "plain" | "single" | "double" | "literal";

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether a string could be taken for a number of base 60; goyaml.v2 reads none, but quotes such strings for readers that do. */
function looksLikeBase60(text: string): boolean {
  const first = text.charCodeAt(0);
  const isNumeric = first === 0x2b || first === 0x2d || (first >= 0x30 && first <= 0x39);
  return isNumeric && base60.test(text);
}

/** The style that goyaml chooses. */
export function scalarStyle(text: string, style: YamlStyle): ScalarStyle {
  const readsAsString = isPlainYamlString(text) && !looksLikeBase60(text) && !style.needsQuotes(text);
  if (readsAsString && simple.test(text)) return "plain";
  const { allowsPlain, allowsSingle, allowsLiteral } = examine(text, style);
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

/** Looks for what forbids a style. */
function examine(text: string, { allowsTabsInLiterals }: YamlStyle) {
  const hasTab = text.includes("\t");
  const seen = hasTab && allowsTabsInLiterals ? text.replaceAll("\t", "x") : text;
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
