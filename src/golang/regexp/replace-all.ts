import type { Budget } from "../value/budget.ts";
import { canonicalBytes } from "../value/bytes.ts";
import { isUnicodeDigit, isUnicodeLetter } from "../unicode/printable.ts";
import { type GoRegexp, type MatchOffsets, widthAt } from "./go-regexp.ts";

/** A piece of a replacement: a text, or a group by number or name. */
type ReplacementPart = string | number | { readonly name: string };

/** Go's `ReplaceAllString`: `$1`, `${1}`, `$name` stand for what a group matched, `$$` for a dollar. */
export function replaceAll(regexp: GoRegexp, text: string, replacement: string, budget: Budget): string {
  const parts = parseReplacement(replacement);
  const needsGroups = parts.some((part) => typeof part !== "string");
  return replaceEach(regexp, text, needsGroups ? regexp.groupNames.length : 1, budget, (offsets) =>
    parts.map((part) => expandPart(part, text, regexp, offsets)).join(""),
  );
}

/** Go's `ReplaceAllLiteralString`. */
export function replaceAllLiteral(regexp: GoRegexp, text: string, replacement: string, budget: Budget): string {
  return replaceEach(regexp, text, 1, budget, () => replacement);
}

function replaceEach(
  regexp: GoRegexp,
  text: string,
  groupCount: number,
  budget: Budget,
  replacementOf: (offsets: MatchOffsets) => string,
): string {
  const searched = text.toWellFormed();
  regexp.charge(text, budget);
  const pieces: string[] = [];
  let lastEnd = 0;
  let size = 0;
  for (let at = 0; at <= searched.length; ) {
    const offsets = regexp.matchAt(searched, at, groupCount);
    if (offsets === undefined) break;
    const [start = 0, end = 0] = offsets;
    const replacement = end > lastEnd || start === 0 ? replacementOf(offsets) : "";
    pieces.push(text.slice(lastEnd, start), replacement);
    size += start - lastEnd + replacement.length;
    budget.make(size);
    regexp.chargeMatch(text, budget);
    lastEnd = end;
    at = Math.max(end, at + widthAt(searched, at));
  }
  return canonicalBytes(pieces.join("") + text.slice(lastEnd));
}

function parseReplacement(replacement: string): ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let rest = replacement;
  for (let dollar = rest.indexOf("$"); dollar >= 0; dollar = rest.indexOf("$")) {
    const after = rest.slice(dollar + 1);
    const group = after.startsWith("$") ? undefined : groupAhead(after);
    parts.push(rest.slice(0, dollar), group?.part ?? "$");
    rest = after.slice(group?.length ?? (after.startsWith("$") ? 1 : 0));
  }
  return [...parts, rest];
}

function groupAhead(text: string): { readonly part: ReplacementPart; readonly length: number } | undefined {
  const isBraced = text.startsWith("{");
  const name = nameAhead(isBraced ? text.slice(1) : text);
  if (name === "" || (isBraced && text.charAt(name.length + 1) !== "}")) return undefined;
  const length = isBraced ? name.length + 2 : name.length;
  return { part: /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : { name }, length };
}

function nameAhead(text: string): string {
  let name = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code !== 0x5f && !isUnicodeLetter(code) && !isUnicodeDigit(code)) break;
    name += character;
  }
  return name;
}

function expandPart(part: ReplacementPart, text: string, { groupNames }: GoRegexp, offsets: MatchOffsets): string {
  if (typeof part === "string") return part;
  if (typeof part === "number") return groupText(part, text, offsets);
  // A name may occur twice: the first group of it that took part counts.
  const index = groupNames.findIndex((name, group) => name === part.name && (offsets[2 * group] ?? -1) >= 0);
  return index < 0 ? "" : groupText(index, text, offsets);
}

function groupText(group: number, text: string, offsets: MatchOffsets): string {
  const start = offsets[2 * group] ?? -1;
  return start < 0 ? "" : text.slice(start, offsets[2 * group + 1]);
}
