import type { Clock, Logger } from "#base";
import type { EventRecorder, KubeClient, KubeObject, ObjectStore } from "#kube";
import type { FreshStore } from "#runtime";
import type { ApparatusClient } from "../apparatus/calls/apparatus-client.ts";
import type { CouplingMetrics } from "../coupling-metrics.ts";
import type { Claims } from "../resources/inventory-entries.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { InputWatches } from "./input-watches.ts";
import type { ReadSlots } from "./read-inputs.ts";
import type { Roster } from "./roster.ts";

/** What is known of the cluster without a request, and what Tenon may do there. */
export interface ClusterView {
  readonly plugs: FreshStore;
  readonly sockets: FreshStore;
  /** Whether the operator works in a namespace. What it does not see elsewhere may well exist. */
  readonly covers: (namespace: string) => boolean;
  /** Metadata only. */
  readonly namespace: (name: string) => KubeObject | undefined;
  /** The metadata of Secrets and ConfigMaps: a change signals that there is something to read. */
  readonly metadataStores: Readonly<Record<"Secret" | "ConfigMap", ObjectStore>>;
  readonly allowClusterScoped: boolean;
  /** Checked before each status write, so that a replica that lost the lease stops writing. */
  readonly mayWrite: () => boolean;
}

/** Where operators and users read what happened. */
export interface CouplingReport {
  readonly log: Logger;
  readonly metrics: CouplingMetrics;
  readonly events: Readonly<Record<"Plug" | "Socket", EventRecorder>>;
}

/** What the reconcilers of plugs and sockets share. */
export interface CouplingDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly cluster: ClusterView;
  readonly report: CouplingReport;
  readonly roster: Roster;
  readonly claims: Claims;
  readonly inputs: { readonly watches: InputWatches; readonly slots: ReadSlots };
  readonly fingerprint: Fingerprint;
  readonly apparatus: ApparatusClient;
}

/** The index of plugs by the uid of the socket they are paired with. */
export const byPairing = "pairing";
/** The index of plugs by the key of the socket they name. */
export const bySocket = "socket";
/** The index of plugs and sockets by their namespace. */
export const byNamespace = "namespace";
/** The index of sockets by their uid. */
export const byUid = "uid";
