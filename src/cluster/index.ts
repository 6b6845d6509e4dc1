export { type ClusterBinary, ensureBinary, inspectBinary } from "./binary.ts";
export type { BuildProgress } from "./build.ts";
export { goVersion } from "./go.ts";
export { type ClusterHome, clusterHome } from "./home.ts";
export { ensureProgram, type ProgramBinary } from "./program.ts";
export { type GoProgram, hashModule } from "./source.ts";
export { type StartedCluster, type StartOptions, type StartProgress, startCluster } from "./start.ts";
export { type ClusterState, type ClusterStatus, listClusters } from "./status.ts";
export { type InstanceOptions, resetCluster, stopCluster } from "./stop.ts";
