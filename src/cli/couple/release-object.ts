import { InputError, systemClock } from "#base";
import { annotations, asRecord, asRecords, asString, finalizer, Plug, readCoupledState, Socket } from "#coupling";
import { describeRef, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import { preconditions, removeFinalizer, writeConditionally } from "#runtime";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { parseCoupledName } from "./object-name.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";

export interface ReleaseChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly yes: boolean;
}

/** How long a running operator may take to release the object itself, before the finalizer is removed here. */
const patienceMs = 5_000;
const pauseMs = 100;

/** Releases an object that is being deleted: lets the operator do it, if one runs, else removes the finalizer. */
export async function releaseObject(text: string, choice: ReleaseChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal);
    const { kind, namespace, name } = parseCoupledName(text, choice.namespace ?? ownNamespace);
    const ref = { apiVersion: (kind === "Plug" ? Plug : Socket).apiVersion, kind, namespace, name };
    const object = await client.find(ref, shell.signal);
    const where = describeRef(ref);
    if (!object) throw new InputError(`${where} not found`, { next: "nothing is left to release" });
    refuseUnlessDeleting(object, where);
    for (const line of describeLoss(object)) shell.stderr.write(`${line}\n`);
    const question = `${where}: release it, and clean up by hand what it leaves behind?`;
    if (!choice.yes && !(await confirm(question, shell, shell.signal))) {
      throw new InputError(`${where} was not released`);
    }
    const isGone = await releaseByOperator(client, ref, object, shell.signal);
    if (!isGone) await removeOwnFinalizer(client, ref, object, shell.signal);
    shell.stdout.write(`${where} is released${isGone ? "" : "; no operator responded, so check that one runs"}\n`);
  });
}

function refuseUnlessDeleting(object: KubeObject, where: string): void {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) {
    throw new InputError(`${where} is not being deleted`, {
      next: `delete it first: \`kubectl delete ${object.kind.toLowerCase()} -n ${object.metadata.namespace} ${object.metadata.name}\``,
    });
  }
  if (!finalizers.includes(finalizer)) {
    throw new InputError(`${where} waits for other finalizers, not for Tenon's: ${finalizers.join(", ")}`, {
      next: "ask the owners of those finalizers",
    });
  }
}

/** What will not be cleaned up. */
function describeLoss(object: KubeObject): string[] {
  const { message, target, leaves } = readCoupledState(object);
  const left = asRecords(asRecord(object["status"])["inventory"])
    .filter((entry) => entry["retained"] !== true)
    .map((entry) => ["kind", "namespace", "name", "side"].map((field) => asString(entry[field]) ?? "").join(" "));
  const socket = leaves ?? target;
  return [
    ...(message === undefined ? [] : [`it waits because: ${message}`]),
    ...(object.kind === "Plug" && socket !== undefined
      ? [`the stage \`decoupled\` may not have run at ${socket}`]
      : []),
    ...(left.length === 0 ? [] : ["these objects may stay behind:", ...left.map((line) => `  ${line}`)]),
  ].map(visibleText);
}

/** True if the operator has released it. */
async function releaseByOperator(
  client: KubeClient,
  ref: ObjectRef,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const { uid } = object.metadata;
  const mark = (current: KubeObject) => {
    // Between the question and the answer, another object may have got the name.
    const metadata = { ...preconditions(current), annotations: { [annotations.forceDelete]: "true" } };
    return client.patch(ref, { type: "merge", body: { metadata }, fieldManager: "tenon" }, signal);
  };
  if (!(await writeConditionally(object, client, mark, signal))) return true;
  const end = systemClock.monotonic() + patienceMs;
  while (systemClock.monotonic() < end) {
    const found = await client.find({ ...ref, metadataOnly: true }, signal);
    if (found?.metadata.uid !== uid || !found?.metadata.finalizers?.includes(finalizer)) return true;
    await systemClock.sleep(pauseMs, signal);
  }
  return false;
}

async function removeOwnFinalizer(
  client: KubeClient,
  ref: ObjectRef,
  known: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const found = await client.find(ref, signal);
  if (found && found.metadata.uid === known.metadata.uid) await removeFinalizer(found, finalizer, client, signal);
}
