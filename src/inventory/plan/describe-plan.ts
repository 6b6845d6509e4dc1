import { formatFieldPath, redact } from "#base";
import type { FieldChange } from "../compare/find-changes.ts";
import type { Action, ActionKind, Plan, ShownChange } from "./plan.ts";
import { canonicalJson } from "../object/canonical-json.ts";
import type { Exact } from "../object/exact.ts";

const signs: Readonly<Record<ActionKind, string>> = {
  create: "+",
  update: "~",
  replace: "-/+",
  adopt: "=",
  delete: "-",
};

/** One line a write, the fields that change below it, what is held back and why, and a sum. Nothing secret is in it. */
export function describePlan(plan: Plan): string {
  const lines: string[] = [];
  let place = "";
  for (const action of plan.actions) {
    const here = `${action.cluster}/${action.namespace}`;
    if (here !== place) lines.push(`${lines.length === 0 ? "" : "\n"}${here}`);
    place = here;
    lines.push(...describeAction(action));
  }
  if (plan.refusals.length > 0) lines.push("\nheld back");
  for (const { action, cluster, namespace, kind, name, reason, next } of plan.refusals) {
    lines.push(`  ! ${action} ${cluster}/${namespace} ${kind} ${name}: ${reason}`, `      next: ${next}`);
  }
  if (plan.errors.length > 0) lines.push("\nerrors");
  for (const { cluster, namespace, attribution, what, next } of plan.errors) {
    const where = [[cluster, namespace].filter(Boolean).join("/"), attribution].filter(Boolean).join(" ");
    lines.push(`  ! ${where === "" ? "" : `${where}: `}${what}`);
    if (next !== undefined) lines.push(`      next: ${next}`);
  }
  return `${[...lines, `${lines.length === 0 ? "" : "\n"}${sumUp(plan)}`].join("\n")}\n`;
}

function describeAction({ action, kind, name, reason, diff }: Action): string[] {
  const fields = diff.map(({ path, before, after, manager }) => {
    if (before === undefined) return `      + ${path}: ${after ?? ""}`;
    const by = manager === undefined ? "" : ` (set by ${manager})`;
    return after === undefined ? `      - ${path}: ${before}` : `      ~ ${path}: ${before} -> ${after}${by}`;
  });
  return [`  ${signs[action]} ${kind} ${name}: ${reason}`, ...fields];
}

/** Like `2 to create, 1 to delete, 40 unchanged`. */
export function sumUp({ actions, refusals, errors, unchanged, ignored = 0 }: Plan): string {
  const count = (kind: ActionKind) => actions.filter(({ action }) => action === kind).length;
  const parts = [
    [count("create"), "to create"],
    [count("update"), "to update"],
    [count("replace"), "to replace"],
    [count("adopt"), "to adopt"],
    [count("delete"), "to delete"],
    [unchanged, "unchanged"],
    [ignored, "with ignored differences"],
    [refusals.length, "held back"],
    [errors.length, errors.length === 1 ? "error" : "errors"],
  ] as const;
  return parts.flatMap(([number, word]) => (number > 0 ? [`${number} ${word}`] : [])).join(", ") || "nothing to do";
}

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
      ...(change.manager === undefined ? {} : { manager: change.manager }),
    };
  });
}

/** A diff shows nothing else of a secret, not even its length. */
function maskChange({ before, after }: FieldChange): { before: string | undefined; after: string | undefined } {
  return {
    before: before === undefined ? undefined : "***",
    after: after === undefined ? undefined : before === undefined ? "***" : "*** (changed)",
  };
}

function textOf(value: Exact | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = redact(canonicalJson(value));
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
