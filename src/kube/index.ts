export { ApiError, type StatusCause, type StatusDetails } from "./api-error.ts";
export type { ClientCertificate, ClusterAccess, Credential, Credentials } from "./cluster-access.ts";
export { ConnectionError, type ConnectionFailure } from "./connection-error.ts";
export { fixedCredentials } from "./credentials.ts";
export {
  connect,
  type Identity,
  type KubeRequest,
  type KubeResponse,
  type Transport,
  type TransportOptions,
} from "./transport.ts";
export { type BackoffBounds, backoffMs } from "./backoff.ts";
export type { Transform } from "./kept-object.ts";
export type { Indexer } from "./object-indexes.ts";
export type { ObjectStore } from "./object-store.ts";
export { createReflector, type Reflector, type ReflectorOptions, type StoreChange } from "./reflector.ts";
export type { ReflectorSource } from "./reflector-source.ts";
export { isNewerVersion } from "./resource-version.ts";
export { type AccessOptions, listContexts, loadAccess } from "./kubeconfig.ts";
export { explainForbidden, type Forbidden } from "./forbidden.ts";
export { apiErrorFromStatus } from "./read-status.ts";
export { oldestServer, requireServerVersion, type ServerVersion } from "./server-version.ts";

export {
  type AccessAnswer,
  type AccessQuestion,
  type AccessRules,
  listOwnRules,
  reviewAccess,
  reviewOwnAccess,
} from "./access-review.ts";
export type { ApiResource, ApiSubresource } from "./api-group.ts";
export { type ClientOptions, createClient, type KubeClient } from "./client.ts";
export type { ServerWarning } from "./client-context.ts";
export { createDiscovery, type Discovery } from "./discovery.ts";
export { createEventRecorder, type EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
export type { ObjectEvent, Reporter } from "./event-series.ts";
export { type FieldConflict, FieldConflictError } from "./field-conflict-error.ts";
export type { Page, PageOptions } from "./list-pages.ts";
export {
  describeRef,
  isKubeObject,
  keyOf,
  type KindRef,
  type KubeObject,
  type ManagedFields,
  type NewObject,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  refOf,
  type Selection,
} from "./object.ts";
export { type LogOptions, readLogs } from "./read-logs.ts";
export type { ObjectReader, ObjectReading, WatchOptions } from "./read-objects.ts";
export { callService, type ServiceRequest } from "./service-proxy.ts";
export { requestToken, type ServiceAccountToken, type TokenOptions } from "./token-request.ts";
export type { WatchEvent } from "./watch-events.ts";
export type { UserInfo } from "./who-am-i.ts";
export type {
  ApplyOptions,
  DeleteOptions,
  ObjectWriter,
  Patch,
  ReplaceOptions,
  WriteOptions,
} from "./write-objects.ts";
export {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
  type LeaderState,
  LeadershipLostError,
} from "./leader-election.ts";
