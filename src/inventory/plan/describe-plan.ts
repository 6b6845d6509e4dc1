import { type FieldPath, formatDuration, formatFieldPath, redact } from "#base";
import type { FieldChange } from "../compare/find-changes.ts";
import { labelOfItem } from "../compare/merge-keys.ts";
import type { Action, ActionKind, Plan, PlanRefusal, Prerequisite, ShownChange } from "./plan.ts";
import { canonicalJson } from "../object/canonical-json.ts";
import { type Exact, type ExactMap, isExactList, isExactMap } from "../object/exact.ts";

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
  for (const { what, objects, next } of groupRefusals(plan.refusals)) {
    lines.push(`  ! ${what}`, ...objects.map((object) => `      ${object}`), `      next: ${next}`);
  }
  if (plan.errors.length > 0) lines.push("\nerrors");
  for (const { cluster, namespace, attribution, what, next } of plan.errors) {
    const where = [[cluster, namespace].filter(Boolean).join("/"), attribution].filter(Boolean).join(" ");
    lines.push(`  ! ${where === "" ? "" : `${where}: `}${what.replaceAll("\n", "\n    ")}`);
    if (next !== undefined) lines.push(`      next: ${next}`);
  }
  return `${[...lines, `${lines.length === 0 ? "" : "\n"}${sumUp(plan)}`].join("\n")}\n`;
}

function describeAction({ action, kind, name, reason, diff, waitsFor = [] }: Action): string[] {
  const fields = diff.map(({ path, before, after, manager }) => {
    if (before === undefined) return `      + ${path}: ${after ?? ""}`;
    const by = manager === undefined ? "" : ` (set by ${manager})`;
    return after === undefined ? `      - ${path}: ${before}` : `      ~ ${path}: ${before} -> ${after}${by}`;
  });
  const waits = waitsFor.length === 0 ? [] : [`      waits for ${describeWaits(waitsFor)}`];
  return [`  ${signs[action]} ${kind} ${name}: ${reason}`, ...waits, ...fields];
}

const mostWaits = 3;

/** Like `a in c1/n1 to be healthy`. */
function describeWaits(waitsFor: readonly Prerequisite[]): string {
  const names = waitsFor.map(
    ({ attribution, cluster, namespace }) => `${attribution ?? "what is shared"} in ${cluster}/${namespace}`,
  );
  const more = names.length > mostWaits ? ` and ${names.length - mostWaits} more` : "";
  const longest = Math.max(...waitsFor.map(({ soakMs = 0 }) => soakMs));
  const soak = longest === 0 ? "" : ` for ${formatDuration(longest)}`;
  return `${names.slice(0, mostWaits).join(", ")}${more} to be healthy${soak}`;
}

/** Writes that are held back for the same reason, told once. */
export interface RefusalGroup {
  /** Like `delete 12 objects: would delete 12 of 14 objects`. */
  readonly what: string;
  /** A line a namespace and kind; empty if `what` names the only object. */
  readonly objects: readonly string[];
  readonly next: string;
}

export function groupRefusals(refusals: readonly PlanRefusal[]): RefusalGroup[] {
  const groups = Map.groupBy(refusals, ({ action, reason, next }) => JSON.stringify([action, reason, next]));
  return [...groups.values()].flatMap((group): RefusalGroup[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { action, cluster, namespace, kind, name, reason, next } = first;
    if (group.length === 1) {
      return [{ what: `${action} ${cluster}/${namespace} ${kind} ${name}: ${reason}`, objects: [], next }];
    }
    const places = Map.groupBy(group, (one) => `${one.cluster}/${one.namespace} ${one.kind}`);
    const objects = [...places].map(([place, all]) => `${place} ${listNames(all.map((one) => one.name))}`);
    return [{ what: `${action} ${group.length} objects: ${reason}`, objects, next }];
  });
}

const mostNames = 10;

function listNames(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `${names.slice(0, mostNames).join(", ")}${more}`;
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
export function showChanges(
  kind: string,
  changes: readonly FieldChange[],
  { current, desired }: { readonly current: ExactMap; readonly desired: ExactMap },
): ShownChange[] {
  return changes.map((change) => {
    const isMasked = kind === "Secret" && (change.path[0] === "data" || change.path[0] === "stringData");
    const { before, after } = isMasked
      ? maskChange(change)
      : { before: textOf(change.before), after: textOf(change.after) };
    return {
      // What is removed is only in the current object; all else has its place in the desired one.
      path: namedPath(change.path, change.after === undefined ? current : desired),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(change.manager === undefined ? {} : { manager: change.manager }),
    };
  });
}

/** Like `spec.containers[tool].env[SHARDS].value`: Kubernetes knows such items by their keys, and so do people. */
function namedPath(path: FieldPath, body: ExactMap): string {
  let text = "";
  let value: Exact | undefined = body;
  let list = "";
  for (const step of path) {
    if (typeof step === "number") {
      const items: readonly Exact[] = isExactList(value) ? value : [];
      text += `[${labelOfItem(list, items, step) ?? step}]`;
      value = items[step];
    } else {
      const field = formatFieldPath([step]);
      text += text === "" || field.startsWith("[") ? field : `.${field}`;
      value = isExactMap(value) ? value[step] : undefined;
      list = step;
    }
  }
  return text;
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
