import { quote } from "#golang";
import { appendToken } from "./json-pointer.ts";

/** Why a value does not satisfy a schema. */
export interface SchemaFailure {
  /** Where the value is. */
  readonly path: readonly string[];
  readonly text: string;
  /** A group and a reference have no text of their own; their causes have. */
  readonly kind?: "group" | "reference";
  readonly causes?: readonly SchemaFailure[];
}

/** Stands for any failure if only validity matters. */
export const someFailure: SchemaFailure = { path: [], text: "" };

/** All failures, line by line, as Helm prints them. */
export function formatFailure(failure: SchemaFailure): string {
  const roots = failure.kind === "group" ? (failure.causes ?? []) : [failure];
  return roots.flatMap((root) => linesOf(root, 0)).join("\n");
}

function linesOf(failure: SchemaFailure, indent: number): string[] {
  const { path, text, kind, causes = [] } = failure;
  if (kind === "reference" && causes.length === 1) return causes.flatMap((cause) => linesOf(cause, indent));
  const place = singleQuoted(appendToken("", ...path));
  return [`${"  ".repeat(indent)}- at ${place}: ${text}`, ...causes.flatMap((cause) => linesOf(cause, indent + 1))];
}

/** The failures without causes, which name the actual problem. */
export function leavesOf(failure: SchemaFailure): SchemaFailure[] {
  return failure.causes?.length ? failure.causes.flatMap(leavesOf) : [failure];
}

/** Text in single quotes, as Helm's validator writes it. */
export function singleQuoted(text: string): string {
  return `'${quote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export function quotedList(names: readonly string[]): string {
  return names.map(singleQuoted).join(", ");
}
