import type { FieldPath } from "#base";
import type { Chart } from "#template";

/** What a run is told, beside the data. */
export interface DesireOptions {
  readonly chart: Chart;
  /** Only integrations of this upstream; all of them when absent. */
  readonly upstream?: string | undefined;
  /** Only places in this environment; all of them when absent or empty. */
  readonly environment?: string | undefined;
  /** Only these integrations. */
  readonly integration?: readonly string[] | undefined;
  /** Only on these clusters. */
  readonly cluster?: readonly string[] | undefined;
  /** Clusters that may be chosen though the data has nothing on them any more. */
  readonly formerClusters?: readonly string[] | undefined;
  readonly image?: string | undefined;
  /** The ref that each environment's image is built from. */
  readonly imageTagFromRef?: ReadonlyMap<string, string> | undefined;
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
