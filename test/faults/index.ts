export type { Upstream } from "./client-connection.ts";
export type { CutStyle } from "./delivery.ts";
export { type HttpProxy, type HttpProxyOptions, startHttpProxy } from "./http-proxy.ts";
export type { RecordedRequest, RequestView } from "./journal.ts";
export {
  expired,
  type FailureStatus,
  failure,
  failureStatus,
  internalError,
  isWatch,
  overloaded,
  tooManyRequests,
  watchError,
} from "./kubernetes-answers.ts";
export { seededRandom, selfSigned } from "./loopback.ts";
export type { BodyPosition, Position } from "./position.ts";
export type { Answer, Cut, Delay, Inject, RuleHandle, Selection, Silence } from "./rules.ts";
export type { TcpTarget } from "./tcp-connection.ts";
export { type Connections, type Direction, startTcpProxy, type TcpCounts, type TcpProxy } from "./tcp-proxy.ts";
