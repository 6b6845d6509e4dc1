import { InputError } from "#base";
import { ApiError, describeRef, type KubeClient, type NewObject } from "#kube";
import { describeRefusal } from "../builds/describe-refusal.ts";
import type { TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import type { StartedRun } from "./test-runner.ts";

const retryMs = 60_000;

/** Creates a run whose name is its identity: one that exists already is the one that was created before a kill. */
export async function createOnce(
  client: Pick<KubeClient, "create" | "get">,
  run: NewObject & { readonly metadata: { readonly name?: string } },
  snapshot: TestedSnapshot,
  signal: AbortSignal,
): Promise<StartedRun> {
  try {
    return { kind: "started", run: await client.create(run, {}, signal) };
  } catch (error) {
    if (error instanceof InputError) return { kind: "refused", message: `cannot create the run: ${error.message}` };
    if (!(error instanceof ApiError)) throw error;
    if (error.isAlreadyExists) return adopt(client, run, snapshot, signal);
    if (error.isInvalid || error.isBadRequest)
      return { kind: "refused", message: `cannot create the run: ${error.message}` };
    // A quota or an admission webhook may change its mind.
    if (error.isForbidden)
      return { kind: "waiting", message: `cannot create the run: ${describeRefusal(error)}`, afterMs: retryMs };
    throw error;
  }
}

async function adopt(
  client: Pick<KubeClient, "get">,
  { apiVersion, kind, metadata }: NewObject,
  snapshot: TestedSnapshot,
  signal: AbortSignal,
): Promise<StartedRun> {
  const ref = { apiVersion, kind, namespace: snapshot.namespace, name: metadata.name ?? "" };
  const existing = await client.get(ref, signal);
  const { uid } = snapshot.object.metadata;
  if (existing.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return { kind: "started", run: existing };
  return {
    kind: "refused",
    message: `${describeRef(ref)} exists already and is not a run of this Snapshot; delete it, then run the test again`,
  };
}
