export type { Verifier } from "./caller-check.ts";
export { type Apparatus, type ApparatusOptions, createApparatus } from "./create-apparatus.ts";
export { audience, inClusterVerifier } from "./in-cluster-verifier.ts";
export { type Call, type Handler, reject, Rejection, type StageAnswer, stages, type StageName } from "./handler.ts";
export { type ServeOptions, serveApparatus, type Serving } from "./serve-apparatus.ts";
export type { ConfigBody, IntegrationObject, OwnStageBody, PairStageBody } from "./stage-body.ts";
