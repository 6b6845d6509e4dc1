import type { Clock, Logger } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import type { Writer } from "./writer.ts";

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
  /** Takes fields over even from others that declare them. */
  readonly forceConflicts: boolean;
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
