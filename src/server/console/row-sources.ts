import { Plug, Socket } from "#coupling";
import type { KubeObject, ObjectTransform } from "#kube";
import { Propagation, Release, Snapshot } from "#promotion";
import type { ConsoleList, ConsoleRow } from "./console-api.ts";
import { forgetOthers, groupShards, integrationRow, workloadKinds } from "./integration-rows.ts";
import { plugRow, propagationRow, releaseRow, snapshotRow, socketRow } from "./object-rows.ts";

export interface WatchedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Where the rows of a list come from. */
export interface ListSource {
  readonly kinds: readonly WatchedKind[];
  readonly transform?: ObjectTransform;
  /** The job that installs the kinds, if Kubernetes does not have them itself. */
  readonly job?: "couple" | "promote";
  /** For a list with a row for each object. */
  readonly row?: (object: KubeObject) => ConsoleRow;
  /** For a list whose rows are made of several objects. */
  readonly rows?: (objects: readonly KubeObject[]) => ConsoleRow[];
}

export const rowSources: Readonly<Record<ConsoleList, ListSource>> = {
  integrations: {
    kinds: workloadKinds,
    transform: forgetOthers,
    rows: (objects) => [...groupShards(objects)].map(([key, workloads]) => integrationRow(key, workloads)),
  },
  plugs: { kinds: [Plug], job: "couple", row: plugRow },
  sockets: { kinds: [Socket], job: "couple", row: socketRow },
  snapshots: { kinds: [Snapshot], job: "promote", row: snapshotRow },
  releases: { kinds: [Release], job: "promote", row: releaseRow },
  propagations: { kinds: [Propagation], job: "promote", row: propagationRow },
};
