import { inspect } from "node:util";
import { QuotingError } from "./quoting-error.ts";
import { type Redact, redact as redactAll } from "./secret.ts";

/**
 * The error as text for people: one line for the error and one, indented, for each cause below it. Accepts any thrown
 * value. Masks all known secrets, or those that `redact` masks.
 */
export function describeError(error: unknown, redact: Redact = redactAll): string {
  return redact(lines(error, redact, new Set()).join("\n"));
}

function lines(error: unknown, redact: Redact, seen: Set<unknown>): string[] {
  const own = oneLine(error, redact);
  if (!(error instanceof Error) || seen.has(error)) return [own];
  seen.add(error);
  const parts = error instanceof AggregateError ? error.errors.map((part) => lines(part, redact, seen)) : [];
  const cause = error.cause === undefined ? [] : lines(error.cause, redact, seen);
  // Many messages end with that of their cause.
  const isSaid = cause[0] !== undefined && own.endsWith(`: ${cause[0]}`);
  return [
    own,
    ...parts.flatMap((part) => below("- ", part)),
    ...(isSaid ? cause.slice(1) : below("caused by: ", cause)),
  ];
}

function below(label: string, [first, ...rest]: string[]): string[] {
  return first === undefined ? [] : [`  ${label}${first}`, ...rest.map((line) => `  ${line}`)];
}

/** Masks before it joins the lines: afterwards a secret of several lines would no longer be recognised. */
function oneLine(error: unknown, redact: Redact): string {
  const masked = redact(text(error));
  const parts = masked.split("\n").map((part) => part.trim());
  return parts.filter((part) => part !== "").join(" ");
}

function text(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  if (thrown instanceof QuotingError) return thrown.said;
  if (thrown instanceof Error) return text(thrown.message || thrown.name);
  return inspect(thrown, { breakLength: Infinity, maxStringLength: Infinity });
}
