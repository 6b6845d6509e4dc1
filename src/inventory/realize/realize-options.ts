import type { Clock, Logger, Metrics } from "#base";
import type { EventRecorder, KubeClient, KubeObject } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import type { Action, Plan } from "../plan/plan.ts";
import type { ActionOutcome } from "./outcome.ts";
import type { Writer } from "./writer.ts";

export interface RealizeOptions {
  /** Does everything but the writes, and returns the calls they would be. */
  readonly dryRun?: boolean | undefined;
  /** Objects at once, on each cluster; default 10. */
  readonly threadPoolSize?: number | undefined;
  /** Under which name our fields are known on clusters; default `tenon`. */
  readonly fieldManager?: string | undefined;
  /** Waits for namespaces that do not exist; default: their objects fail, and nothing else does. */
  readonly waitForNamespace?: boolean | undefined;
  /** How long one wait may take: for a namespace, for an object to be gone; default 2 min. */
  readonly waitMs?: number | undefined;
  /** Actions of the same plan that failed before: of what they may concern nothing is deleted. */
  readonly failedBefore?: readonly Action[] | undefined;
  /** When the data was committed, from which on the time counts until a change arrives. */
  readonly committedAt?: Date | undefined;
  /** A change that takes longer than so many seconds to arrive is logged; default: none is. */
  readonly slowAfterSeconds?: number | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
  /** Tells people about changes and failures of objects that exist. */
  readonly events?: ((cluster: string) => EventRecorder | undefined) | undefined;
  /** Called when an action is over, however it ended. */
  readonly onOutcome?: ((outcome: ActionOutcome) => void) | undefined;
}

/** The same with all defaults. */
export interface RealizeSettings extends RealizeOptions {
  readonly plan: Pick<Plan, "id" | "integration">;
  readonly clusters: ClusterClients;
  readonly dryRun: boolean;
  readonly threadPoolSize: number;
  readonly fieldManager: string;
  readonly waitForNamespace: boolean;
  readonly waitMs: number;
  readonly log: Logger;
  readonly clock: Clock;
}

/** What the work on one object of a cluster needs. */
export interface RealizeContext {
  readonly client: KubeClient;
  readonly writer: Writer;
  readonly fieldManager: string;
  readonly integration: string;
  readonly clock: Clock;
  /** Says which object it is about. */
  readonly log: Logger;
  readonly dryRun: boolean;
  /** Waits for a namespace that does not exist, instead of failing its objects. */
  readonly waitForNamespace: boolean;
  /** How long any one wait may take. */
  readonly waitMs: number;
  /** The time at which everything is restarted that this run restarts. */
  readonly restartAt: string;
  /** A line of the audit log; more than one if an object takes more than one step. */
  readonly audit: (verb: string, ...more: readonly (string | readonly string[])[]) => void;
  /** ReplicaSets that a Deployment in the namespace left to its successor. */
  readonly leftReplicaSets: (namespace: string) => Promise<readonly KubeObject[]>;
}
