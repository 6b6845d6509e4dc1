import type { GoObject, GoValue } from "#golang";

/** A file of a chart. */
export interface ChartFile {
  /** Its path within the chart: `templates/deployment.yaml`. */
  readonly name: string;
  readonly data: Uint8Array;
  /** Where a user finds it: a path on disk, or the archive and the path within. */
  readonly origin: string;
}

export interface Maintainer {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

/** An entry of `dependencies` in Chart.yaml. */
export interface ChartDependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition: string;
  readonly tags: readonly string[] | undefined;
  readonly enabled: boolean;
  readonly importValues: readonly GoValue[] | undefined;
  readonly alias: string;
}

/** The content of Chart.yaml. A missing list is `undefined`, as it is nil in Go. */
export interface ChartMetadata {
  readonly name: string;
  readonly home: string;
  readonly sources: readonly string[] | undefined;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[] | undefined;
  readonly maintainers: readonly Maintainer[] | undefined;
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: ReadonlyMap<string, string> | undefined;
  readonly kubeVersion: string;
  readonly dependencies: readonly ChartDependency[] | undefined;
  readonly type: string;
}

/** A loaded chart. Rendering works on copies and never changes it. */
export interface Chart {
  readonly metadata: ChartMetadata;
  readonly templates: readonly ChartFile[];
  /** All other files, which `.Files` sees, `crds/` included. */
  readonly files: readonly ChartFile[];
  /** The content of values.yaml. */
  readonly values: GoObject;
  readonly valuesFile: ChartFile | undefined;
  readonly schema: ChartFile | undefined;
  /** The charts in `charts/`, whether Chart.yaml declares them or not. */
  readonly dependencies: readonly Chart[];
  /** Where a user finds the chart. */
  readonly origin: string;
}
