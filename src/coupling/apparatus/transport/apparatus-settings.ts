import type { KubeClient } from "#kube";
import type { Side } from "../../kinds/index.ts";
import type { Resolve } from "./egress.ts";

/** What the administrator of Tenon decides about apparatuses. */
export interface ApparatusSettings {
  /** Hosts that any plug or socket may name as its endpoint. */
  readonly allow: readonly string[];
  readonly clusterDomain: string;
  /** Tenon runs in a pod of the cluster. */
  readonly isInCluster: boolean;
  /** Hosts of the API server, by name or address. */
  readonly apiServer: readonly string[];
  /** Whose tokens are shown to apparatuses. */
  readonly tokenAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Called instead of every endpoint of a side. */
  readonly debugEndpoints: Readonly<Partial<Record<Side, string>>>;
  /** For calls through the API server; default: the same client. */
  readonly proxyClient?: KubeClient;
  readonly resolve?: Resolve;
}

export const defaultApparatusSettings: ApparatusSettings = {
  allow: [],
  clusterDomain: "cluster.local",
  isInCluster: false,
  apiServer: [],
  debugEndpoints: {},
};
