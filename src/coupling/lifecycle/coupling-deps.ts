import type { Clock, Logger } from "#base";
import type { EventRecorder, KubeClient, KubeObject, ObjectStore } from "#kube";
import type { Apparatus } from "../apparatus/apparatus.ts";
import type { ConfigAnswers } from "../apparatus/config-answers.ts";
import type { StageResult } from "../apparatus/stage-result.ts";
import type { Side } from "../kinds/names.ts";
import type { Socket } from "../kinds/socket.ts";
import type { Claims } from "../resources/claims.ts";
import type { Configs } from "./attempt.ts";
import type { CouplingMetrics } from "./coupling-metrics.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { Inputs } from "./inputs.ts";
import type { Latest } from "./latest.ts";
import type { LookSecrets } from "./look-secrets.ts";
import type { Roster } from "./roster.ts";
import type { ReadLines } from "./source-readers.ts";
import type { Wakeups } from "./wakeups.ts";

/** What a plug was paired with last, as it was then. */
export interface Farewell extends Configs {
  readonly socket: Socket;
}

/** What the reconcilers of plugs and sockets share. */
export interface CouplingDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: CouplingMetrics;
  readonly plugs: Latest;
  readonly sockets: Latest;
  /** Metadata only. */
  readonly namespace: (name: string) => KubeObject | undefined;
  /** The metadata of Secrets and ConfigMaps: a sign that there is something to read. */
  readonly signals: Readonly<Record<"Secret" | "ConfigMap", ObjectStore>>;
  readonly roster: Roster;
  readonly claims: Claims;
  readonly inputs: Inputs;
  readonly readLines: ReadLines;
  readonly secrets: LookSecrets;
  readonly fingerprint: Fingerprint;
  readonly events: Readonly<Record<"Plug" | "Socket", EventRecorder>>;
  readonly apparatus: Apparatus;
  readonly answers: ConfigAnswers;
  /** By the uid of a plug: the results that apparatuses answered last, as far as they were asked for since the start. */
  readonly stageResults: Map<string, Map<Side, StageResult>>;
  /** By the uid of a plug that is on its way out: `deleted` is told what `decoupled` was. A restart forgets them. */
  readonly farewells: Map<string, Farewell>;
  /** For whoever an apparatus has news for. */
  readonly wakeups: Readonly<Record<Side, Wakeups>>;
  readonly allowClusterScoped: boolean;
  /** Asked before each write of status: a process that no longer leads has nothing to say. */
  readonly mayWrite: () => boolean;
}

/** The index of plugs by the uid of the socket they are paired with. */
export const byPairing = "pairing";
/** The index of plugs by the key of the socket they ask for. */
export const bySocket = "socket";
/** The index of plugs and sockets by their namespace. */
export const byNamespace = "namespace";
/** The index of sockets by their uid. */
export const byUid = "uid";
