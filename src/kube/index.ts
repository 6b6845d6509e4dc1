export { abortable } from "./transport/abortable.ts";
export { ApiError, type StatusCause, type StatusDetails } from "./transport/api-error.ts";
export type { ClientCertificate, ClusterAccess, Credential, Credentials } from "./access/cluster-access.ts";
export { ConnectionError, type ConnectionFailure } from "./transport/connection-error.ts";
export { fixedCredentials } from "./access/credentials.ts";
export {
  connect,
  type Identity,
  type KubeRequest,
  type KubeResponse,
  type Transport,
  type TransportOptions,
} from "./transport/transport.ts";
export { type BackoffBounds, backoffMs } from "./transport/backoff.ts";
export { identityOnly, type ObjectTransform, withoutManagedFields } from "./reflector/object-transform.ts";
export type { Indexer } from "./reflector/object-indexes.ts";
export { createObjectStore, type ObjectStore } from "./reflector/object-store.ts";
export { createReflector, type Reflector, type ReflectorOptions, type StoreChange } from "./reflector/reflector.ts";
export type { ReflectorSource } from "./reflector/reflector-source.ts";
export { isNewerVersion } from "./reflector/resource-version.ts";
export { SilenceWatchdog } from "./reflector/silence-watchdog.ts";
export { type AccessOptions, listContexts, loadAccess } from "./access/kubeconfig.ts";
export { environmentProxy } from "./access/environment-proxy.ts";
export { inClusterAccess, type InClusterOptions } from "./access/in-cluster.ts";
export { explainForbidden, type Forbidden } from "./transport/forbidden.ts";
export { apiErrorFromStatus } from "./transport/read-status.ts";
export { oldestServer, requireServerVersion, type ServerVersion } from "./transport/server-version.ts";

export {
  type AccessAnswer,
  type AccessQuestion,
  type AccessRules,
  listOwnRules,
  reviewAccess,
  reviewOwnAccess,
  reviewToken,
} from "./client/reviews.ts";
export type { ApiResource, ApiSubresource } from "./client/api-group.ts";
export { type ClientOptions, createClient, type KubeClient } from "./client/client.ts";
export type { ServerWarning } from "./client/client-context.ts";
export { createDiscovery, type Discovery } from "./client/discovery.ts";
export { createEventRecorder, type EventRecorder, type EventRecorderOptions } from "./events/event-recorder.ts";
export type { ObjectEvent, Reporter } from "./events/event-series.ts";
export { type FieldConflict, FieldConflictError } from "./client/field-conflict-error.ts";
export type { Page, PageOptions } from "./client/list-pages.ts";
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
  type ObjectSelection,
} from "./client/object.ts";
export { type LogOptions, readLogs } from "./client/read-logs.ts";
export type { ObjectReader, ObjectReading, WatchOptions } from "./client/read-objects.ts";
export { creationPath, objectPath } from "./client/resource-path.ts";
export { callService, type ServiceRequest } from "./client/service-proxy.ts";
export { requestToken, type ServiceAccountToken, type TokenOptions } from "./client/token-request.ts";
export type { WatchEvent } from "./client/watch-events.ts";
export type { UserInfo } from "./client/reviews.ts";
export {
  type ApplyOptions,
  defaultFieldManager,
  type DeleteOptions,
  type ObjectWriter,
  type Patch,
  type ReplaceOptions,
  type WriteOptions,
} from "./client/write-objects.ts";
export {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
  type LeaderState,
  LeadershipLostError,
} from "./election/leader-election.ts";
export { HttpAgent, httpRequest } from "./transport/undici.ts";
