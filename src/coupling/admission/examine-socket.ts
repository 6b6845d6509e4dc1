import { formatFieldPath, InputError } from "#base";
import { matchesWhole } from "#golang";
import { describeObject, sides } from "../kinds/pair.ts";
import type { Socket } from "../kinds/socket.ts";
import { findMistake } from "../sources/find-mistake.ts";

/**
 * What the owner of a socket must correct before any plug can couple, and what the API server cannot see: expressions that
 * are none, and defaults that their own property refuses.
 */
export function examineSocket(socket: Socket): InputError | undefined {
  const [first, ...others] = [...expressionProblems(socket), ...propertyProblems(socket)].toSorted();
  if (first === undefined) return undefined;
  return new InputError([first, ...others].join("; "), {
    where: describeObject(socket),
    next: "correct it; until then no plug is admitted",
  });
}

function* expressionProblems({ spec: { validation = {} } }: Socket): Iterable<string> {
  for (const field of ["namespaceBlacklist", "namespaceWhitelist"] as const) {
    for (const [index, expression] of (validation[field] ?? []).entries()) {
      const problem = expressionProblem(expression);
      if (problem !== undefined) yield `spec.validation.${field}[${index}]: ${problem}`;
    }
  }
}

function* propertyProblems({ spec }: Socket): Iterable<string> {
  for (const part of ["config", "result"] as const) {
    for (const side of sides) {
      for (const [key, property] of Object.entries(spec.interface?.[part]?.[side] ?? {})) {
        const { pattern, default: text = "" } = property ?? {};
        const place = formatFieldPath(["spec", "interface", part, side, key]);
        const problem = pattern === undefined ? undefined : expressionProblem(pattern);
        if (problem !== undefined) yield `${place}.pattern: ${problem}`;
        const mistake = property && problem === undefined && text !== "" ? findMistake(text, property) : undefined;
        if (mistake !== undefined) yield `${place}.default ${mistake}`;
      }
    }
  }
}

function expressionProblem(expression: string): string | undefined {
  try {
    matchesWhole(expression, "");
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.what;
    throw error;
  }
}
