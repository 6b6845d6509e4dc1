import { type Clock, CommandFailed, describeError, valueAt } from "#base";
import { ApiError, defaultFieldManager, describeRef, type KubeClient, type KubeObject, refOf } from "#kube";
import { podTrouble, readinessOf } from "#inventory";
import type { TektonManifests } from "./tekton-manifests.ts";

export interface InstallDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly report: (message: string) => void;
}

const pollMs = 250;
/** Only ends what hangs: on a busy machine the three programs need a minute. */
const patienceMs = 10 * 60_000;

/** Applies Tekton's objects in the order in which they need each other. */
export async function applyTekton(
  manifests: TektonManifests,
  { client, clock, report }: InstallDeps,
  signal: AbortSignal,
): Promise<void> {
  const apply = async (objects: readonly KubeObject[]) => {
    for (const object of objects) {
      await client.apply(object, { fieldManager: defaultFieldManager, force: true, metadataOnly: true }, signal);
    }
  };
  // What an earlier --no-tekton deleted may still be going.
  const lasting = [...manifests.definitions, ...manifests.namespaces];
  await waitUntil(() => stillDeleted(lasting, client, signal), { clock, report }, signal);
  report("applying its kinds");
  // Those of an earlier installation refuse changes while their program does not run.
  await deleteAll(manifests.webhooks, client, signal);
  await apply(manifests.namespaces);
  await apply(manifests.definitions);
  await waitUntil(() => unestablished(manifests.definitions, client, signal), { clock, report }, signal);
  report("applying its rights, settings and programs");
  for (const objects of [manifests.others, manifests.webhooks, manifests.deployments]) await apply(objects);
}

/** Waits until Tekton's programs run and its kinds can be written. */
export async function waitForTekton(
  manifests: TektonManifests,
  { client, clock, report }: InstallDeps,
  signal: AbortSignal,
): Promise<void> {
  await waitUntil(
    async () => (await unreadyPrograms(manifests, client, signal)) ?? (await refusedTask(manifests, client, signal)),
    { clock, report },
    signal,
  );
}

/** Deletes Tekton with all pipelines and runs; the API server finishes on its own. */
export async function deleteTekton(manifests: TektonManifests, client: KubeClient, signal: AbortSignal): Promise<void> {
  const { webhooks, definitions, deployments, others, namespaces } = manifests;
  // Without its webhooks nothing is refused; without its kinds nothing new runs.
  for (const objects of [webhooks, definitions, deployments, others, namespaces])
    await deleteAll(objects, client, signal);
}

async function deleteAll(objects: readonly KubeObject[], client: KubeClient, signal: AbortSignal): Promise<void> {
  for (const object of objects) await client.delete(refOf(object), {}, signal);
}

async function waitUntil(
  findProblem: () => Promise<string | undefined>,
  { clock, report }: Pick<InstallDeps, "clock" | "report">,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + patienceMs;
  for (;;) {
    const problem = await findProblem();
    if (problem === undefined) return;
    // What its pods say besides is for the message of a wait that timed out.
    report(problem.split("; ")[0] ?? "");
    if (clock.monotonic() > end) {
      throw new CommandFailed(`Tekton is not ready after ${patienceMs / 60_000} min: ${problem}`, {
        next: "start again to go on with the installation, or give --no-tekton to remove it",
      });
    }
    await clock.sleep(pollMs, signal);
  }
}

async function stillDeleted(
  objects: readonly KubeObject[],
  client: KubeClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const ref of objects.map(refOf)) {
    const live = await client.find({ ...ref, metadataOnly: true }, signal);
    if (live?.metadata.deletionTimestamp === undefined) continue;
    return `${describeRef(ref)} is being deleted; if that does not end, remove the finalizers of PipelineRuns and TaskRuns`;
  }
  return undefined;
}

async function unestablished(
  definitions: readonly KubeObject[],
  client: KubeClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const definition of definitions) {
    const live = await client.find(refOf(definition), signal);
    const name = describeRef(refOf(definition));
    const conditions = valueAt(live, ["status", "conditions"]);
    const isEstablished =
      Array.isArray(conditions) &&
      conditions.some((each) => valueAt(each, ["type"]) === "Established" && valueAt(each, ["status"]) === "True");
    if (!isEstablished) return `${name} is not established`;
  }
  return undefined;
}

async function unreadyPrograms(
  { deployments, namespaces }: TektonManifests,
  client: KubeClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const deployment of deployments) {
    const name = describeRef(refOf(deployment));
    const live = await client.find(refOf(deployment), signal);
    if (!live) return `${name} does not exist`;
    const readiness = readinessOf(live);
    if (readiness.is === "ready") continue;
    const troubles = await Promise.all(namespaces.map(({ metadata }) => podTroubles(metadata.name, client, signal)));
    return [
      `${name}: ${readiness.is === "failed" ? readiness.why : readiness.missing}`,
      ...troubles.flat().slice(0, 3),
    ].join("; ");
  }
  return undefined;
}

async function podTroubles(namespace: string, client: KubeClient, signal: AbortSignal): Promise<string[]> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod", namespace }, signal);
  return items.flatMap((pod) => {
    const trouble = podTrouble(pod);
    return trouble === undefined ? [] : [`${describeRef(refOf(pod))}: ${trouble}`];
  });
}

/** A Task that is not stored passes the webhook as any other does. */
async function refusedTask(
  { namespaces }: TektonManifests,
  client: KubeClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  const namespace = namespaces[0]?.metadata.name ?? "default";
  const steps = [{ name: "nothing", image: "localhost/nothing", command: ["nothing"] }];
  const task = {
    apiVersion: "tekton.dev/v1",
    kind: "Task",
    metadata: { name: "tenon-probe", namespace },
    spec: { steps },
  };
  try {
    await client.create(task, { dryRun: true }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // The kind may not be served yet, or the API server may not reach the webhook yet.
    return `a Task cannot be written: ${error instanceof ApiError ? error.message : describeError(error)}`;
  }
  return undefined;
}
