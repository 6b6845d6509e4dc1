import type { Clock, Logger, Metrics } from "#base";
import type { DeletionLimits } from "#inventory";
import type { DataClusterSource } from "../clusters/cluster-access.ts";
import type { ClusterData } from "../data/integration.ts";
import type { DesireOptions } from "../desired/desire-options.ts";
import type { OwnWorkload } from "./guard-self.ts";
import type { NamespaceMemory } from "./remembered-namespaces.ts";

/** What a look at clusters is told, beside what is wanted. */
export interface LookOptions {
  readonly desire: Pick<DesireOptions, "upstream" | "environment" | "integration" | "cluster">;
  /** How clusters are reached; `clusterSources`, or `sources` of a `ClusterPool`. */
  readonly reach: (clusters: readonly ClusterData[]) => readonly DataClusterSource[];
  /** All kinds that are managed; default: Deployment, StatefulSet, CronJob, Service, and whatever the chart rendered. */
  readonly managedKinds?: readonly string[] | undefined;
  /** Without, namespaces that lose their last integration are not cleaned. */
  readonly memory?: NamespaceMemory | undefined;
  readonly takeOverFrom?: readonly string[] | undefined;
  readonly deletions?: DeletionLimits | undefined;
  readonly deletionsConfirmed?: boolean | undefined;
  /** The workload whose pod runs us. */
  readonly ownWorkload?: OwnWorkload | undefined;
  /** Only these namespaces, as `cluster/namespace`. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Clusters, and reads of each, at once; default 10. */
  readonly threadPoolSize?: number | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
}
