import { InputError } from "#base";
import { ApiError, describeRef, FieldConflictError, keyOf, type KubeObject, type ObjectRef, refOf } from "#kube";
import { apiVersion, couplingFieldManager, labels, type Plug, type Socket } from "../kinds/index.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { PlugSession } from "./plug-session.ts";

export type PromiseDeps = Pick<CouplingDeps, "client" | "cluster" | "fingerprint">;

/** A pairing, and the memory of the plug whose Secrets are written. */
export type SessionOfPair = Pick<CouplingAttempt, "pair" | "session">;

/** A Secret of Tenon's own that a plug is promised. */
export function promisedSecret(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  owner: Plug | Socket,
  plug: Plug,
  content: { readonly type: string; readonly data: Readonly<Record<string, string>> },
): KubeObject {
  const { kind, metadata } = owner;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace,
      labels: { [labels.managedBy]: couplingFieldManager, [labels.plugUid]: plug.metadata.uid ?? "" },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" }],
    },
    ...content,
  };
}

export function encodeSecretText(text: string): string {
  return Buffer.from(text).toString("base64");
}

/**
 * Written with our own rights, which exceed those of the plug's author: another Secret that happens to have the name is not
 * changed, because its type differs. Once the Secret is ours, changes by other writers are overwritten.
 */
export async function writePromised(
  wanted: KubeObject,
  isKnown: boolean,
  { client, cluster: { metadataStores } }: PromiseDeps,
  signal: AbortSignal,
): Promise<KubeObject> {
  const live = metadataStores.Secret.get(keyOf(wanted));
  if (live && live.metadata.labels?.[labels.managedBy] !== couplingFieldManager) throw taken(wanted);
  const isOwn = live?.metadata.labels?.[labels.plugUid] === wanted.metadata.labels?.[labels.plugUid];
  try {
    return await client.apply(wanted, { fieldManager: couplingFieldManager, force: isKnown && isOwn }, signal);
  } catch (error) {
    if (isKnown || !isWriteRefused(error)) throw error;
    throw taken(wanted, error);
  }
}

function taken(wanted: KubeObject, cause?: unknown): InputError {
  return new InputError(
    `${describeRef(refOf(wanted))} already exists and does not belong to this plug, which needs the name`,
    {
      next: "rename or delete the Secret, or rename the plug",
      cause,
    },
  );
}

/** Another manager owns the fields, or they are immutable. */
export function isWriteRefused(error: unknown): boolean {
  return error instanceof FieldConflictError || (error instanceof ApiError && error.status === 422);
}

/** Only if the Secret belongs to the plug, whose author may have no right to delete Secrets. */
export async function deletePromised(
  ref: ObjectRef & { readonly namespace: string },
  plug: Plug,
  { client, cluster: { covers, metadataStores } }: PromiseDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!covers(ref.namespace)) return; // the operator may have no rights there
  const found = metadataStores.Secret.get(`${ref.namespace}/${ref.name}`) ?? (await client.find(ref, signal));
  if (found && isPromisedTo(found, plug)) await client.delete(ref, { uid: found.metadata.uid }, signal);
}

/** The uid of the plug that a Secret of Tenon is promised to; undefined for any other Secret, also of a template. */
export function promisedPlugOf({ metadata: { labels: found = {} } }: KubeObject): string | undefined {
  const isOwn = found[labels.managedBy] === couplingFieldManager && found[labels.side] === undefined;
  return isOwn ? found[labels.plugUid] : undefined;
}

export function isPromisedTo({ metadata: { labels: found = {} } }: KubeObject, { metadata: { uid } }: Plug): boolean {
  return found[labels.managedBy] === couplingFieldManager && found[labels.plugUid] === uid;
}

/** Whether the watch shows a promised Secret in the version that was right. */
export function isPromiseUntouched(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  session: PlugSession,
  { cluster }: PromiseDeps,
): boolean {
  const live = cluster.metadataStores.Secret.get(`${namespace}/${name}`);
  return live !== undefined && session.isPromiseKept(live) === true;
}
