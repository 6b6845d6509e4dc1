import { Plug, Socket } from "#coupling";
import { keyOf, type KubeObject, type ObjectTransform } from "#kube";
import { EphemeralClaim, Propagation, Release, Snapshot } from "#promotion";
import type { ConsoleList, ConsoleRow } from "./console-api.ts";
import { forgetOthers, groupShards, integrationRow, workloadKinds } from "./integration-rows.ts";
import { claimRow, plugRow, propagationRow, releaseRow, snapshotRow, socketRow } from "./object-rows.ts";

export interface WatchedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The objects that a row is made of. */
export type RowMembers = readonly [KubeObject, ...KubeObject[]];

/** Where the rows of a list come from. */
export interface ListSource {
  readonly kinds: readonly WatchedKind[];
  readonly transform?: ObjectTransform;
  /** The job that installs the kinds, if Kubernetes does not have them itself. */
  readonly job?: "couple" | "promote";
  /** The objects of each row. */
  readonly groups: (objects: readonly KubeObject[]) => Iterable<readonly [key: string, members: RowMembers]>;
  readonly row: (members: RowMembers, key: string) => ConsoleRow;
}

/** A row for each object. */
function each(makeRow: (object: KubeObject) => ConsoleRow): Pick<ListSource, "groups" | "row"> {
  return {
    groups: (objects) => objects.map((object) => [keyOf(object), [object]] as const),
    row: ([object]) => makeRow(object),
  };
}

export const rowSources: Readonly<Record<ConsoleList, ListSource>> = {
  integrations: {
    kinds: workloadKinds,
    transform: forgetOthers,
    groups: groupShards,
    row: (workloads, key) => integrationRow(key, workloads),
  },
  plugs: { kinds: [Plug], job: "couple", ...each(plugRow) },
  sockets: { kinds: [Socket], job: "couple", ...each(socketRow) },
  snapshots: { kinds: [Snapshot], job: "promote", ...each(snapshotRow) },
  releases: { kinds: [Release], job: "promote", ...each(releaseRow) },
  propagations: { kinds: [Propagation], job: "promote", ...each(propagationRow) },
  claims: { kinds: [EphemeralClaim], job: "promote", ...each(claimRow) },
};
