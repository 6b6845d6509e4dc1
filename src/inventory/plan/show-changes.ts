import { formatFieldPath, redact } from "#base";
import type { FieldChange } from "../compare/find-differences.ts";
import { canonicalText } from "../resource/canonical-text.ts";
import type { Exact } from "../resource/exact.ts";
import type { ShownChange } from "./plan.ts";

const longest = 500;

/** A diff for people: the values of Secrets are masked, but one sees which of them change. */
export function showChanges(kind: string, changes: readonly FieldChange[]): ShownChange[] {
  return changes.map((change) => {
    const isMasked = kind === "Secret" && (change.path[0] === "data" || change.path[0] === "stringData");
    const { before, after } = isMasked
      ? maskChange(change)
      : { before: textOf(change.before), after: textOf(change.after) };
    return {
      path: formatFieldPath(change.path),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
  });
}

/** That is all that a diff tells of a secret: not even its length. */
function maskChange({ before, after }: FieldChange): { before: string | undefined; after: string | undefined } {
  return {
    before: before === undefined ? undefined : "***",
    after: after === undefined ? undefined : before === undefined ? "***" : "*** (changed)",
  };
}

function textOf(value: Exact | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = redact(canonicalText(value));
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
