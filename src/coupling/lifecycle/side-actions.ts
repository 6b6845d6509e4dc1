import { valueAt } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import {
  type CouplingEntry,
  describeObject,
  identityOf,
  namespaceOf,
  type Pair,
  type Plug,
  type Socket,
  warnings,
} from "../kinds/index.ts";
import type { ActionOptions, ObjectSharing } from "../resources/perform-actions.ts";
import { removeObjects } from "../resources/remove-objects.ts";
import type { ResolvedMap } from "../sources/resolved.ts";
import { byUid, type CouplingDeps } from "./coupling-deps.ts";
import { hasSharedWatch } from "./input-watches.ts";
import { objectOrigin, type PlacingOptions, writtenBy } from "./prepare-stage.ts";

/** Deletes objects of a side, with the rights of that side. */
export async function removeMade(
  entries: readonly CouplingEntry[],
  object: Plug | Socket,
  pair: Partial<Pair>,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  if (entries.length === 0) return;
  const options = { origin: objectOrigin(object, pair), claims: deps.claims, cached: cachedObjects(deps) };
  const [first, ...others] = await removeObjects(entries, clientOf(object, deps), options, signal);
  if (!first) return;
  const { kind, name } = first.entry;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Error(`${kind} ${name}${more} of ${describeObject(object)} cannot be deleted`, { cause: first.error });
}

/** Acts as the service account of a side. */
export function clientOf(object: Plug | Socket, { client }: Pick<CouplingDeps, "client">): KubeClient {
  return client.impersonate(identityOf(object));
}

export function actionOptions(
  object: Plug | Socket,
  pair: Partial<Pair>,
  known: readonly CouplingEntry[],
  { claims, clock, cluster }: CouplingDeps,
): ActionOptions {
  const cached = cachedObjects({ cluster });
  const isAbsent = (ref: ObjectRef): boolean =>
    hasSharedWatch(ref) && cluster.covers(ref.namespace ?? "") && cached(ref) === undefined;
  return { origin: objectOrigin(object, pair), known, claims, cached, isAbsent, clock };
}

/** How the objects of a socket are shared with its other plugs. */
export function sharingOf(
  { plug, socket }: Pair,
  socketConfig: ResolvedMap,
  { cluster: { plugs }, fingerprint, report }: CouplingDeps,
): ObjectSharing {
  const { generation, uid } = socket.metadata;
  const find = (plugUid: string) => plugs.byIndex(byUid, plugUid)[0];
  return {
    basis: fingerprint.ofParts([uid, generation, writtenBy("socket", socketConfig)]),
    isCurrent: (plugUid) => valueAt(find(plugUid), ["status", "pairing", "socketGeneration"]) === generation,
    reportClash: (ref, otherUid) => {
      const other = find(otherUid);
      const name = other ? `Plug/${keyOf(other)}` : "another plug";
      const message = `${describeRef(ref)}: ${describeObject(plug)} is refused, because ${name} has it with another content; put .plug.metadata.uid into its name`;
      report.events.Socket.record(socket, { type: "Warning", reason: warnings.sharedObject, message, related: plug });
      // A tenant learns nothing about plugs of other namespaces.
      return other && namespaceOf(other) === namespaceOf(plug) ? name : `another plug of ${describeObject(socket)}`;
    },
  };
}

export function cachedObjects({
  cluster: { metadataStores },
}: Pick<CouplingDeps, "cluster">): (ref: ObjectRef) => KubeObject | undefined {
  return (ref) => (hasSharedWatch(ref) ? metadataStores[ref.kind].get(`${ref.namespace}/${ref.name}`) : undefined);
}

export function placingOf({ client, cluster: { allowClusterScoped } }: CouplingDeps): PlacingOptions {
  return { discovery: client.discovery, allowClusterScoped };
}
