import type { Clock, Logger, Metrics } from "#base";
import type { KubeClient } from "#kube";
import type { NamespaceChoice } from "#runtime";
import type { ApparatusClient } from "./apparatus/calls/apparatus-client.ts";
import type { ApparatusSettings } from "./apparatus/transport/apparatus-settings.ts";

export interface CouplingOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** The key of this installation, for the fingerprints in status. */
  readonly fingerprintKey: Uint8Array;
  /** The replica that reports Events, such as the pod's name. */
  readonly instance: string;
  /** Calls apparatuses; default: over HTTP. */
  readonly apparatus?: ApparatusClient;
  readonly apparatusSettings?: ApparatusSettings;
  /** Only plugs, sockets and DeferredResources of these namespaces; default all. */
  readonly namespaces?: NamespaceChoice | undefined;
  /** How many plugs are reconciled at once; default 64. */
  readonly concurrency?: number;
  readonly allowClusterScoped?: boolean;
  readonly mayWrite?: () => boolean;
}
