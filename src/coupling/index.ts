export {
  examineSocket,
  type AdmissionContext,
  refusePlug,
  type PlugRefusal,
} from "./admission/refuse-plug.ts";
export { findResultProblem } from "./apparatus/calls/apparatus-answers.ts";
export {
  type ApparatusClient,
  ApparatusWait,
  type ConfigCall,
  type StageCall,
} from "./apparatus/calls/apparatus-client.ts";
export { type ApparatusSettings, defaultApparatusSettings } from "./apparatus/transport/apparatus-settings.ts";
export { ownAccount } from "./apparatus/calls/token-source.ts";
export { coupleRights } from "./couple-rights.ts";
export { apparatusMetrics, couplingMetrics, stateMetrics } from "./coupling-metrics.ts";
export type { CouplingOptions } from "./coupling-options.ts";
export { type Coupling, createCoupling } from "./create-coupling.ts";
export {
  annotations,
  couplingKinds,
  DeferredResource,
  describeObject,
  finalizer,
  identityOf,
  leaseName,
  Plug,
  type PlugReason,
  plugReasons,
  plugsCoupled,
  requestedSocket,
  resolvedReasons,
  Socket,
  type SocketReason,
  socketReasons,
} from "./kinds/index.ts";
export { installationKey } from "./lifecycle/fingerprint.ts";
export { conditionOf } from "./lifecycle/unparsed-objects.ts";
export type { CouplingPlan, PlanDeps } from "./coupling-plan.ts";
export { planCoupling } from "./plan-coupling.ts";
export type { PlannedCall } from "./plan-calls.ts";
export type { PlannedAction } from "./planned-actions.ts";
export type { PlannedMount } from "./projection/plan-mount.ts";
export { type ExplainedKey, type ExplainedMap, explainValues } from "./sources/explain-values.ts";
export { listResultSources, listSources } from "./sources/read-sources.ts";
export type {
  DroppedKey,
  ResolvedInputs,
  ResolvedMap,
  ResolvedResults,
  ResolvedValue,
  SourceReader,
  SourceRef,
  WaitingResults,
} from "./sources/resolved.ts";
export { examineInputs, type ExaminedInputs, resolveInputs } from "./sources/resolve-values.ts";
export { resolveResults } from "./sources/resolve-values.ts";
export {
  advisePlug,
  adviseSocket,
  asNumber,
  asRecord,
  asRecords,
  asString,
  type CoupledState,
  describeWait,
  readCoupledState,
} from "./views/coupled-state.ts";
export {
  buildGraph,
  type CouplingGraph,
  graphKey,
  type GraphPlug,
  type GraphSocket,
} from "./views/coupling-graph.ts";
export { graphLines } from "./views/graph-lines.ts";
export { explainPlug, type PlugExplanation } from "./views/explain-plug.ts";
export { sideReaders } from "./views/side-readers.ts";
