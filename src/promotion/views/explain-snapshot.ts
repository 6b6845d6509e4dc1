import { isRecord } from "#base";
import { keyOf, type KubeClient, type KubeObject, readLogs } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import type { TestStatusEntry } from "../scenarios/test-statuses.ts";
import { isTrouble, readSnapshotState, type SnapshotState } from "./snapshot-state.ts";

interface ExplainedComponent {
  readonly name: string;
  readonly image: string;
  /** `built`: this Snapshot is about it. `candidate`: the newest image that it had. */
  readonly role: "built" | "candidate" | "given";
  readonly commit?: string;
}

export interface ExplainedTest extends TestStatusEntry {
  /** The last lines of the log of its run, while a pod of it exists. */
  readonly log?: readonly string[];
  readonly next?: string;
}

export interface ExplainedSnapshot {
  readonly snapshot: string;
  readonly owner: string;
  readonly from: string;
  readonly state: SnapshotState;
  readonly message?: string;
  readonly next?: string;
  readonly components: readonly ExplainedComponent[];
  readonly tests: readonly ExplainedTest[];
}

/** From which build, with which images, and how each test went. */
export async function explainSnapshot(
  object: KubeObject,
  client: KubeClient,
  signal: AbortSignal,
): Promise<ExplainedSnapshot> {
  const { namespace, owner, state, message, next, tests, component, type } = readSnapshotState(object);
  const explained: ExplainedTest[] = [];
  for (const entry of tests) {
    const log = await logTail(client, namespace, entry, signal);
    const advice = adviseTest(keyOf(object), entry);
    explained.push({ ...entry, ...(log.length > 0 ? { log } : {}), ...(advice === undefined ? {} : { next: advice }) });
  }
  return {
    snapshot: keyOf(object),
    owner,
    from: describeOrigin(object),
    state,
    ...(message === undefined ? {} : { message }),
    ...(next === undefined ? {} : { next }),
    components: componentsOf(object, type === "component" ? component : undefined),
    tests: explained,
  };
}

function describeOrigin({ metadata: { labels = {}, annotations = {} } }: KubeObject): string {
  const run = labels[promotionLabels.buildRun];
  if (run !== undefined) return `the build PipelineRun ${run}`;
  if (labels[promotionLabels.declaredBuild] !== undefined) return "a build that another CI declared";
  if (labels[promotionLabels.deletedComponent] !== undefined) return "the components that a deleted one left";
  if (annotations[promotionAnnotations.groupMembers] !== undefined) return "several pull requests";
  return "a person";
}

function componentsOf({ spec }: KubeObject, built: string | undefined): ExplainedComponent[] {
  const rows = isRecord(spec) && Array.isArray(spec["components"]) ? spec["components"].filter(isRecord) : [];
  return rows.map((row) => explainComponent(row, built));
}

function explainComponent(row: Readonly<Record<string, unknown>>, built: string | undefined): ExplainedComponent {
  const git = isRecord(row["source"]) && isRecord(row["source"]["git"]) ? row["source"]["git"] : {};
  const name = String(row["name"]);
  const others = built === undefined ? "given" : "candidate";
  return {
    name,
    image: String(row["containerImage"]),
    role: name === built ? "built" : others,
    ...(typeof git["revision"] === "string" ? { commit: git["revision"] } : {}),
  };
}

function adviseTest(snapshot: string, entry: TestStatusEntry): string | undefined {
  if (entry.status === "TestInvalid") return "correct the scenario as the details say, then run it again";
  return isTrouble(entry) ? `once it is fixed: tenon promote rerun ${snapshot} ${entry.scenario}` : undefined;
}

const tailLines = 10;

/** The user may lack the right to read logs, and a pod may be gone: then there is no log. */
async function logTail(
  client: KubeClient,
  namespace: string,
  { testPipelineRunName: run }: TestStatusEntry,
  signal: AbortSignal,
): Promise<string[]> {
  if (run === undefined) return [];
  const lines: string[] = [];
  for (const labelSelector of [`job-name=${run}`, `tekton.dev/pipelineRun=${run}`]) {
    try {
      const { items } = await client.list({ apiVersion: "v1", kind: "Pod", namespace, labelSelector }, signal);
      for (const pod of items) {
        for (const container of containersOf(pod)) {
          const tail = readLogs(client, { namespace, name: pod.metadata.name }, { container, tailLines }, signal);
          for await (const line of tail) lines.push(line);
        }
      }
    } catch {
      signal.throwIfAborted();
    }
  }
  return lines.slice(-tailLines);
}

function containersOf({ spec }: KubeObject): string[] {
  const containers = isRecord(spec) && Array.isArray(spec["containers"]) ? spec["containers"].filter(isRecord) : [];
  return containers.map(({ name }) => String(name));
}
