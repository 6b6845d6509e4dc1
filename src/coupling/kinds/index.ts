export { couplingKinds } from "./coupling-kinds.ts";
export { DeferredResource, resolvedReasons } from "./deferred-resource.ts";
export { type LabelSelector, selectorText } from "./label-selector.ts";
export {
  annotations,
  apiVersion,
  apparatusLabels,
  couplingFieldManager,
  finalizer,
  group,
  labels,
  leaseName,
  mountedReason,
  repairedReason,
  reporters,
  type Side,
  type Stage,
  stageEventReason,
  stateSecretType,
  warnings,
} from "./names.ts";
export {
  deletionPolicyOf,
  describeObject,
  identityOf,
  jsonObject,
  kindOfSide,
  namespaceOf,
  type Pair,
  requestedSocket,
  serviceAccountOf,
  sideOf,
  sides,
  type SocketName,
} from "./pair.ts";
export { Plug } from "./plug.ts";
export {
  actionOf,
  apiVersionOf,
  isRetained,
  type ResourceAction,
  type StageResource,
  stagesOf,
  type Var,
} from "./shared-spec.ts";
export {
  type CouplingEntry,
  Inventory,
  type LastError,
  type ObjectIdentity,
  type Phase,
  type PlugReason,
  plugReasons,
  plugsCoupled,
  type SocketReason,
  socketReasons,
} from "./shared-status.ts";
export { type InterfaceHalf, type InterfaceProperty, parseSocket, Socket } from "./socket.ts";
export { type Workload, type WorkloadEntry, workloadVersion } from "./workload.ts";
