import { isRecord } from "#base";
import { hasPassed, isFinal, type TestStatusEntry } from "./test-statuses.ts";

/** For each scenario, those that it runs after. */
export type TestGraph = Readonly<Record<string, readonly TestParent[]>>;

export interface TestParent {
  readonly name: string;
  /** Its failure fails the scenarios after it. */
  readonly failFast: boolean;
}

export type GraphVerdict =
  | { readonly kind: "start" }
  | { readonly kind: "wait"; readonly parents: readonly string[] }
  | { readonly kind: "cancel"; readonly parent: string }
  | { readonly kind: "cycle" };

/** The graph of a ComponentGroup's spec, as far as it can be read. */
export function readTestGraph(spec: unknown): TestGraph {
  const graph = isRecord(spec) && isRecord(spec["testGraph"]) ? spec["testGraph"] : {};
  return Object.fromEntries(
    Object.entries(graph).map(([scenario, parents]) => [
      scenario,
      (Array.isArray(parents) ? parents.filter(isRecord) : []).flatMap(({ name, failFast }) =>
        typeof name === "string" ? [{ name, failFast: failFast === true }] : [],
      ),
    ]),
  );
}

/**
 * Whether a scenario may run now. `upcoming` are scenarios that are about to start. A parent that is neither upcoming nor has an
 * entry does not test this Snapshot, and is not waited for. What never ran because a parent failed is a failure too, for all
 * scenarios after it.
 */
export function consultGraph(
  scenario: string,
  graph: TestGraph,
  entries: readonly TestStatusEntry[],
  upcoming: ReadonlySet<string>,
): GraphVerdict {
  if (isInCycle(scenario, graph)) return { kind: "cycle" };
  const waiting: string[] = [];
  for (const { name, failFast } of parentsOf(scenario, graph)) {
    const entry = entries.find((candidate) => candidate.scenario === name);
    if (upcoming.has(name) || (entry && !isFinal(entry.status))) waiting.push(name);
    else if (entry && !hasPassed(entry.status) && (failFast || wasCancelled(entry, graph)))
      return { kind: "cancel", parent: name };
  }
  return waiting.length === 0 ? { kind: "start" } : { kind: "wait", parents: waiting };
}

export function parentsOf(scenario: string, graph: TestGraph): readonly TestParent[] {
  return Object.hasOwn(graph, scenario) ? (graph[scenario] ?? []) : [];
}

function wasCancelled({ scenario, status, testPipelineRunName }: TestStatusEntry, graph: TestGraph): boolean {
  return status === "TestFail" && testPipelineRunName === undefined && parentsOf(scenario, graph).length > 0;
}

function isInCycle(scenario: string, graph: TestGraph): boolean {
  const seen = new Set<string>();
  const open = parentsOf(scenario, graph).map(({ name }) => name);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === scenario) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...parentsOf(next, graph).map(({ name }) => name));
  }
  return false;
}
