import { InputError, systemClock } from "#base";
import { annotations, finalizer, Plug, Socket } from "#coupling";
import { describeRef, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import { preconditions, removeFinalizer, writeConditionally } from "#runtime";
import type { ClusterChoice } from "../cluster-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { readState } from "./coupled-state.ts";
import { readName } from "./object-name.ts";
import { recordOf, recordsOf, textOf } from "./unknown-value.ts";
import { requireKinds, withClient } from "./with-client.ts";

export interface ReleaseChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly yes: boolean;
}

/** How long an operator that runs may take to let go in its own way, before the finalizer is taken from it. */
const patienceMs = 5_000;
const pauseMs = 100;

/** Lets an object go that is being deleted: by the operator if there is one, which forgets it properly, else without. */
export async function releaseObject(text: string, choice: ReleaseChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireKinds(client, shell.signal);
    const { kind, namespace, name } = readName(text, choice.namespace ?? ownNamespace);
    const ref = { apiVersion: (kind === "Plug" ? Plug : Socket).apiVersion, kind, namespace, name };
    const object = await client.find(ref, shell.signal);
    const where = describeRef(ref);
    if (!object) throw new InputError(`${where} does not exist`, { next: "nothing is left to release" });
    refuseAlive(object, where);
    for (const line of describeLoss(object)) shell.stderr.write(`${line}\n`);
    const question = `${where}: let it go, and clean up by hand what is left?`;
    if (!choice.yes && !(await confirm(question, shell, shell.signal))) {
      throw new InputError(`${where} was not released`);
    }
    const isGone = await askOperator(client, ref, object, shell.signal);
    if (!isGone) await forceOut(client, ref, object, shell.signal);
    shell.stdout.write(`${where} is released${isGone ? "" : "; no operator did it, so see that one runs"}\n`);
  });
}

function refuseAlive(object: KubeObject, where: string): void {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) {
    throw new InputError(`${where} is not being deleted`, {
      next: `delete it first: \`kubectl delete ${object.kind.toLowerCase()} -n ${object.metadata.namespace} ${object.metadata.name}\``,
    });
  }
  if (!finalizers.includes(finalizer)) {
    throw new InputError(`${where} does not wait for Tenon, but for ${finalizers.join(", ")}`, {
      next: "ask whoever those finalizers belong to",
    });
  }
}

/** What nobody will clean up any more. */
function describeLoss(object: KubeObject): string[] {
  const { message, target, leaves } = readState(object);
  const left = recordsOf(recordOf(object["status"])["inventory"])
    .filter((entry) => entry["retained"] !== true)
    .map((entry) => ["kind", "namespace", "name", "side"].map((field) => textOf(entry[field]) ?? "").join(" "));
  const socket = leaves ?? target;
  return [
    ...(message === undefined ? [] : [`it waits because: ${message}`]),
    ...(object.kind === "Plug" && socket !== undefined
      ? [`the stage \`decoupled\` may not have run at ${socket}`]
      : []),
    ...(left.length === 0 ? [] : ["these objects may stay behind:", ...left.map((line) => `  ${line}`)]),
  ].map(visibleText);
}

/** True once it is gone, by the hand of whoever watches it. */
async function askOperator(
  client: KubeClient,
  ref: ObjectRef,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const { uid } = object.metadata;
  const mark = (current: KubeObject) => {
    // A yes may take its time: what has the name by then may be another object.
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

async function forceOut(client: KubeClient, ref: ObjectRef, known: KubeObject, signal: AbortSignal): Promise<void> {
  const found = await client.find(ref, signal);
  if (found && found.metadata.uid === known.metadata.uid) await removeFinalizer(found, finalizer, client, signal);
}
