export { type Circumstances, refusePlug, type Refusal } from "./admission/refuse-plug.ts";
export { examineSocket } from "./admission/examine-socket.ts";
export {
  type PlugReason,
  plugReasons,
  plugsCoupled,
  type SocketReason,
  socketReasons,
} from "./kinds/conditions.ts";
export { identityOf, wantedSocket } from "./kinds/pair.ts";
export { coupleRights } from "./rights.ts";
export { Plug } from "./kinds/plug.ts";
export { Socket } from "./kinds/socket.ts";
export { type ExplainedKey, type ExplainedMap, explainPlug } from "./sources/explain-plug.ts";
export { listResultSources, listSources } from "./sources/list-sources.ts";
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
export { examineInputs, type ExaminedInputs, resolveInputs } from "./sources/resolve-inputs.ts";
export { resolveResults } from "./sources/resolve-results.ts";
export { type CouplingPlan, planCoupling, type PlanDeps, type PlannedAction } from "./couple-plan.ts";
export { type Coupling, type CouplingOptions, createCoupling } from "./couple.ts";
export { type Apparatus, ApparatusWait, type ConfigCall, type StageCall } from "./apparatus/apparatus.ts";
export { type ApparatusSettings, defaultApparatusSettings } from "./apparatus/call-apparatus.ts";
export { findResultProblem } from "./apparatus/stage-result.ts";
export type { PlannedCall } from "./apparatus/planned-calls.ts";
export { ownAccount } from "./apparatus/token-source.ts";
export { apparatusMetrics } from "./apparatus/apparatus-metrics.ts";
export { couplingMetrics } from "./lifecycle/coupling-metrics.ts";
export { installationKey } from "./lifecycle/installation-key.ts";
export { conditionOf } from "./lifecycle/read-conditions.ts";
export { annotations, finalizer, leaseName } from "./kinds/names.ts";
export { describeObject } from "./kinds/pair.ts";
