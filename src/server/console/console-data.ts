import type { BundleSource, QueryableSource } from "#bundle";
import type {
  ClusterOptions,
  DesiredOptions,
  DesiredStore,
  History,
  ManagedRun,
  NamespaceMemory,
  PlanDesiredOptions,
} from "#integrations";
import type { KubeClient } from "#kube";

/** What the history keeps of a plan that a person applied. */
export interface ConsoleReports {
  /** The options of the plan, with an ear for the commits that its refs mean. */
  listen(desire: DesiredOptions): DesiredOptions;
  open(): Promise<void>;
  report(run: ManagedRun, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A person whose plan it is. */
export interface PlanningPerson {
  readonly user: string;
  readonly client: KubeClient;
}

/** The data that the console shows, plans and applies; as the options of `tenon plan` say. */
export interface ConsoleData {
  /** As in `--data`, without a login. */
  readonly location: string;
  readonly source: QueryableSource;
  /** The files at the location; with a ref, those of its repository at that ref. Undefined for a server, which has no files. */
  readonly files: ((ref?: string) => BundleSource) | undefined;
  readonly desire: () => DesiredOptions;
  readonly kept?: DesiredStore | undefined;
  readonly limits: Pick<
    PlanDesiredOptions,
    "takeOverFrom" | "managedKinds" | "ignoreDifferences" | "deletions" | "createsNamespaces" | "rollout"
  >;
  /** How the person who started the console reaches the clusters of the data. */
  readonly clusters: ClusterOptions;
  /** The list of managed namespaces, with the person's own rights. */
  readonly memory: (client: KubeClient) => Promise<NamespaceMemory | undefined>;
  /** What was applied, with the person's own rights. */
  readonly history: (client: KubeClient) => Promise<History | undefined>;
  readonly reports?: ((person: PlanningPerson, warn: (what: string) => void) => ConsoleReports) | undefined;
  /** How long an integration that others wait for may take to become healthy. */
  readonly healthyWithinMs?: number | undefined;
}
