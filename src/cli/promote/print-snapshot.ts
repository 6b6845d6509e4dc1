import { z } from "zod";
import { InputError, isRecord, redact } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject, readLogs } from "#kube";
import { promotionAnnotations, promotionLabels, Snapshot, type TestStatusEntry } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import { outputFormats } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";
import { isTrouble, readSnapshotState, type SnapshotState } from "./snapshot-state.ts";

const Choice = z.object({
  output: z.enum(outputFormats),
  context: z.string().exactOptional(),
  kubeconfig: z.string().exactOptional(),
  instance: z.string().exactOptional(),
});

interface ExplainedComponent {
  readonly name: string;
  readonly image: string;
  /** `built`: this Snapshot is about it. `candidate`: the newest image that it had. */
  readonly role: "built" | "candidate" | "given";
  readonly commit?: string;
}

interface ExplainedTest extends TestStatusEntry {
  /** The last lines of the log of a test that did not pass, while its pod exists. */
  readonly log?: readonly string[];
  readonly next?: string;
}

interface ExplainedSnapshot {
  readonly snapshot: string;
  readonly owner: string;
  readonly from: string;
  readonly state: SnapshotState;
  readonly message?: string;
  readonly next?: string;
  readonly components: readonly ExplainedComponent[];
  readonly tests: readonly ExplainedTest[];
}

/** `tenon explain snapshot/NAMESPACE/NAME`: from which build, with which images, and how each test went. */
export async function printSnapshot(name: string, options: unknown, shell: Shell): Promise<void> {
  const choice = Choice.parse(options);
  const explained = await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Snapshot]);
    const { apiVersion, kind } = Snapshot;
    const ref = { apiVersion, kind, ...parseObjectKey(name, ownNamespace) };
    const found = await client.find(ref, shell.signal);
    if (!found) {
      throw new InputError(`${describeRef(ref)} not found`, {
        next: "`tenon get snapshots --all-namespaces` lists all",
      });
    }
    return await explainSnapshot(found, client, shell.signal);
  });
  if (choice.output === "json" || choice.output === "yaml") await printDocument(explained, choice.output, shell);
  else shell.stdout.write(redact(describeSnapshot(explained)));
}

async function explainSnapshot(
  object: KubeObject,
  client: KubeClient,
  signal: AbortSignal,
): Promise<ExplainedSnapshot> {
  const { namespace, owner, state, message, next, tests, component, type } = readSnapshotState(object);
  const explained: ExplainedTest[] = [];
  for (const entry of tests) {
    const log = isTrouble(entry) ? await logTail(client, namespace, entry, signal) : [];
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

function describeSnapshot({
  snapshot,
  owner,
  from,
  state,
  message,
  next,
  components,
  tests,
}: ExplainedSnapshot): string {
  const lines = [
    `${snapshot}: ${state}${message === undefined ? "" : `, ${message}`}`,
    ...(next === undefined || next === message ? [] : [`next: ${next}`]),
    "",
    `of ${owner}, from ${from}`,
    ...components.flatMap(({ name, image, role, commit }) => [
      `  ${name} (${role}${commit === undefined ? "" : `, commit ${commit}`})`,
      `    ${image}`,
    ]),
    "",
    tests.length === 0 ? "no tests" : "tests",
    ...tests.toSorted((one, other) => Number(isTrouble(other)) - Number(isTrouble(one))).flatMap(describeTest),
  ];
  return `${lines.map(safeText).join("\n")}\n`;
}

function describeTest({ scenario, status, isOptionalScenario, details, log = [], next }: ExplainedTest): string[] {
  return [
    `  ${scenario}${isOptionalScenario ? " (optional)" : ""}: ${status}`,
    `    ${details}`,
    ...log.map((line) => `    | ${line}`),
    ...(next === undefined ? [] : [`    next: ${next}`]),
  ];
}
