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
export { type Coupling, type CouplingOptions, createCoupling } from "./create-coupling.ts";
export { DeferredResource, resolvedReasons } from "./kinds/deferred-resource.ts";
export { couplingKinds } from "./kinds/coupling-kinds.ts";
export { annotations, finalizer, leaseName } from "./kinds/names.ts";
export { describeObject, identityOf, requestedSocket } from "./kinds/pair.ts";
export { Plug } from "./kinds/plug.ts";
export {
  type PlugReason,
  plugReasons,
  plugsCoupled,
  type SocketReason,
  socketReasons,
} from "./kinds/shared-status.ts";
export { Socket } from "./kinds/socket.ts";
export { installationKey } from "./lifecycle/fingerprint.ts";
export { conditionOf } from "./lifecycle/unparsed-objects.ts";
export {
  type CouplingPlan,
  planCoupling,
  type PlanDeps,
  type PlannedAction,
  type PlannedCall,
} from "./plan-coupling.ts";
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
