import type { Clock, Logger } from "#base";
import type { EventRecorder, KubeClient, KubeObject, ObjectStore } from "#kube";
import type { ConfigAnswers, StageResult } from "../apparatus/apparatus-answers.ts";
import type { ApparatusClient } from "../apparatus/apparatus-client.ts";
import type { CouplingMetrics } from "../coupling-metrics.ts";
import type { Side } from "../kinds/names.ts";
import type { Socket } from "../kinds/socket.ts";
import type { Claims } from "../resources/inventory-entries.ts";
import type { Wakeups } from "./controller-sources.ts";
import type { AttemptSecrets } from "./coupling-attempt.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { FreshStore } from "./fresh-store.ts";
import type { InputWatches } from "./input-watches.ts";
import type { Configs } from "./prepare-stage.ts";
import type { ReadSlots } from "./read-inputs.ts";
import type { Roster } from "./roster.ts";

/** The last pairing of a plug: its socket and configs at that time. */
export interface LastPairing extends Configs {
  readonly socket: Socket;
}

/** What the reconcilers of plugs and sockets share. */
export interface CouplingDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: CouplingMetrics;
  readonly plugs: FreshStore;
  readonly sockets: FreshStore;
  /** Metadata only. */
  readonly namespace: (name: string) => KubeObject | undefined;
  /** The metadata of Secrets and ConfigMaps: a change signals that there is something to read. */
  readonly metadataStores: Readonly<Record<"Secret" | "ConfigMap", ObjectStore>>;
  readonly roster: Roster;
  readonly claims: Claims;
  readonly inputs: InputWatches;
  readonly readSlots: ReadSlots;
  readonly secrets: AttemptSecrets;
  readonly fingerprint: Fingerprint;
  readonly events: Readonly<Record<"Plug" | "Socket", EventRecorder>>;
  readonly apparatus: ApparatusClient;
  readonly answers: ConfigAnswers;
  /** By the uid of a plug: the last results of apparatuses, as far as they were read since the start. */
  readonly stageResults: Map<string, Map<Side, StageResult>>;
  /** By the uid of a plug that is being deleted: `deleted` gets the values of `decoupled`. A restart loses them. */
  readonly lastPairings: Map<string, LastPairing>;
  /** Wake the plugs and sockets that wait for an apparatus. */
  readonly wakeups: Readonly<Record<Side, Wakeups>>;
  readonly allowClusterScoped: boolean;
  /** Checked before each status write, so that a replica that lost the lease stops writing. */
  readonly mayWrite: () => boolean;
}

/** The index of plugs by the uid of the socket they are paired with. */
export const byPairing = "pairing";
/** The index of plugs by the key of the socket they name. */
export const bySocket = "socket";
/** The index of plugs and sockets by their namespace. */
export const byNamespace = "namespace";
/** The index of sockets by their uid. */
export const byUid = "uid";
