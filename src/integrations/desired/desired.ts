import type { FieldPath } from "#base";
import type { ManagedObject } from "#inventory";
import type { Chart } from "#template";
import type { NamespaceData } from "../data/integration.ts";
import type { ParameterGiver, ParameterTrail } from "./resolve-parameters.ts";

/** Everything that should run, decided from data alone: a value. */
export interface Desired {
  /** One for each namespace, in the order in which the data names them first. */
  readonly groups: readonly DesiredNamespace[];
  /** What these integrations run as is neither changed nor deleted. */
  readonly errors: readonly IntegrationError[];
  readonly warnings: readonly IntegrationWarning[];
  /** The integrations that have a target in what this run looks at. */
  readonly declared: ReadonlySet<string>;
  /** The names of all integrations whose files are valid, also where the run does not look. */
  readonly names: ReadonlySet<string>;
  /** Every namespace that an integration of this run's upstream has a target in, also those that a narrowed run does not look at. */
  readonly namespaces: readonly NamespaceData[];
  /** The upstreams of all integrations of the data, as callers: the default one for those that name none. */
  readonly callers: ReadonlySet<string>;
  /** By integration, those that must be healthy before it is changed. */
  readonly after: ReadonlyMap<string, readonly string[]>;
  /** Paths of the namespaces in which an integration that this run looks at has a target. */
  readonly running: ReadonlySet<string>;
  /** What the data says is to be kept as it is. */
  readonly suspensions: readonly DataSuspension[];
}

/** An integration that its data file suspends. */
export interface DataSuspension {
  readonly integration: string;
  /** Only there; everywhere, also where the integration has no target any more, when absent. */
  readonly target?: { readonly cluster: string; readonly namespace: string } | undefined;
  readonly reason: string;
  /** The file that says so. */
  readonly where: string;
}

/** What should be in one namespace. */
export interface DesiredNamespace {
  readonly namespace: NamespaceData;
  /** Each with the integration it belongs to as `attribution`; what several share has none. */
  readonly resources: readonly ManagedObject[];
  /** All kinds that were rendered: those that qontract-reconcile manages by their bare name, others as `Kind.group`. */
  readonly kinds: readonly string[];
  readonly parameters: ParameterTrail;
}

/** Something about one integration that a human must change. */
export interface IntegrationError {
  readonly integration: string;
  /** `file:line:column` as far as it is known. */
  readonly where?: string | undefined;
  readonly what: string;
  readonly next?: string | undefined;
  /** Path of the namespace it concerns; all of the integration's targets when absent. */
  readonly namespace?: string | undefined;
  readonly cluster?: string | undefined;
  /** A file of the integration is invalid, so it may have run under another name before. */
  readonly isFileInvalid?: boolean | undefined;
}

/** Something that has no effect, or another one than it seems; the integration runs nevertheless. */
export type IntegrationWarning = IntegrationError;

/** The options of a run, beside the data. */
export interface DesiredOptions {
  readonly chart: Chart;
  /** Only integrations of this upstream; all of them when absent. */
  readonly upstream?: string | undefined;
  /** Only targets in this environment; all of them when absent or empty. */
  readonly environment?: string | undefined;
  /** Only these integrations. */
  readonly integration?: readonly string[] | undefined;
  /** Only on these clusters. */
  readonly cluster?: readonly string[] | undefined;
  /** Only in namespaces of these names. */
  readonly namespace?: readonly string[] | undefined;
  /** Clusters that `cluster` may name although nothing runs there any more. */
  readonly formerClusters?: readonly string[] | undefined;
  /** The same for `namespace`. */
  readonly formerNamespaces?: readonly string[] | undefined;
  /** Integrations that `integration` may name although the data does not have them: what is left of them is removed. */
  readonly formerIntegrations?: readonly string[] | undefined;
  readonly image?: string | undefined;
  /** Who gave the image; default: `--image`. */
  readonly imageFrom?: ParameterGiver | undefined;
  /** The ref that each environment's image is built from. */
  readonly imageTagFromRef?: ReadonlyMap<string, string> | undefined;
  /** Who chose these refs; default: the command line. */
  readonly imageTagFrom?: ParameterGiver | undefined;
  /** A variable with the name of a parameter gives it its value. */
  readonly processEnv: Readonly<Record<string, string | undefined>>;
  /** The commit, whole, that a branch or tag of a repository means. */
  readonly resolveRef: (repository: string, ref: string, signal: AbortSignal) => Promise<string>;
  /** Digits of a short commit; what the settings of the data say when absent. */
  readonly hashLength?: number | undefined;
  /** An integration with one shard for each of something may have none, and so lose all it has. */
  readonly allowZeroShards?: boolean | undefined;
  /** `file:line:column` of a field of a data file; undefined if that is not known. */
  readonly locate?: ((file: string, at: FieldPath, signal: AbortSignal) => Promise<string | undefined>) | undefined;
}
