import type { MissingRead } from "#template";
import type { Pair, Side } from "../kinds/index.ts";

/** Something that a side reads and that is empty, because it does not exist. */
export interface EmptyValue {
  readonly side: Side;
  readonly message: string;
}

const mostTold = 5;

/** Without what may well be absent: keys that the interface declares, and result vars, which may appear late. */
export function emptyReadsOf(reads: readonly MissingRead[], pair: Partial<Pair>, side: Side): EmptyValue[] {
  return reads
    .filter(({ expression }) => !mayBeAbsent(expression, pair, side))
    .map(({ template, line, expression }) => ({
      side,
      message: `${template} line ${line}: ${expression} does not exist, and is empty`,
    }));
}

function mayBeAbsent(expression: string, pair: Partial<Pair>, side: Side): boolean {
  const [, root = "", key = ""] = /^\$?\.(\w+)\.([\w-]+)$/.exec(expression) ?? [];
  if (root === "resultVars" || root === "vars") {
    return pair[side]?.spec.resultVars?.some(({ name }) => name === key) ?? false;
  }
  const [, owner, part] = /^(plug|socket)(Config|Result)$/.exec(root === "result" ? `${side}Result` : root) ?? [];
  if (owner !== "plug" && owner !== "socket") return false;
  const declared = pair.socket?.spec.interface?.[part === "Config" ? "config" : "result"]?.[owner] ?? {};
  return Object.hasOwn(declared, key);
}

/** One text for all of them; undefined if there are none. */
export function describeEmpty(values: readonly EmptyValue[]): string | undefined {
  const messages = [...new Set(values.map(({ message }) => message))];
  if (messages.length === 0) return undefined;
  const more = messages.length > mostTold ? [`and ${messages.length - mostTold} more`] : [];
  return [...messages.slice(0, mostTold), ...more].join("; ");
}
