import { ConflictError, describeError, InputError, parseDuration, type Redact } from "#base";
import { LimitError } from "#golang";
import { ApiError, FieldConflictError, type KubeObject } from "#kube";
import { ApparatusWait } from "../apparatus/calls/apparatus-client.ts";
import { ApparatusRefusal } from "../apparatus/calls/judge-answer.ts";
import { annotations, type LastError, type Side, type Stage } from "../kinds/index.ts";
import { ActionError } from "../resources/perform-actions.ts";
import { failedSide } from "../sources/failed-side.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

type FailedStage = Stage | "config" | "result" | "repair" | "projection";

/** The stage and side of a failure. */
export class StageError extends Error {
  readonly stage: FailedStage;
  readonly side: Side | undefined;
  /** False: the cause names the object already. */
  readonly namesSide: boolean;

  constructor(cause: unknown, stage: FailedStage, side?: Side) {
    super(`${side === undefined ? "" : `${side} `}${stage} failed`, { cause });
    this.stage = stage;
    this.namesSide = side !== undefined;
    this.side = side ?? failedSide(cause);
  }

  override get name(): string {
    return "StageError";
  }
}

/** For the `catch` of a part of a stage. */
export function failing(stage: FailedStage, side?: Side): (error: unknown) => never {
  return (error) => {
    throw error instanceof StageError ? error : new StageError(error, stage, side);
  };
}

/** A failure as the status reports it. */
export interface CouplingFailure {
  readonly message: string;
  readonly reason: "Error" | "ApplyConflict";
  /** The user must change something; Tenon retries from time to time nevertheless. */
  readonly isForUser: boolean;
  /** Refused by an apparatus, or beyond a template bound: not retried soon. */
  readonly isRefused: boolean;
  readonly stage: FailedStage | undefined;
  readonly side: Side | undefined;
}

/** A stage that waits for an apparatus, which is not a failure. */
export interface Wait {
  /** Undefined: too short to be reported. */
  readonly reason: string | undefined;
  readonly stage: FailedStage;
  readonly side: Side | undefined;
}

export function waitOf(error: unknown): Wait | undefined {
  if (!(error instanceof StageError && error.cause instanceof ApparatusWait)) return undefined;
  const { stage, side, cause } = error;
  return { reason: cause.reason, stage, side };
}

const longestMessage = 1024;

/** `redact` masks the secrets of the plug or socket. */
export function failureOf(error: unknown, redact: Redact): CouplingFailure {
  const { stage, side } = error instanceof StageError ? error : { stage: undefined, side: undefined };
  const { cause, field } = rootOf(error);
  const isSideTold = error instanceof StageError && error.namesSide;
  const place = [isSideTold ? side : undefined, field].filter((part) => part !== undefined).join(" ");
  const text = withoutRole(onOneLine(describeError(cause, redact)));
  return {
    message: (place === "" ? text : `${place}: ${text}`).slice(0, longestMessage),
    reason: cause instanceof FieldConflictError ? "ApplyConflict" : "Error",
    isForUser: isForUser(cause),
    isRefused: cause instanceof ApparatusRefusal || isBeyondBounds(cause),
    stage,
    side,
  };
}

/** Conditions and Events are read on one line; a cause that the text has already is left out. */
function onOneLine(text: string): string {
  const [first = "", ...causes] = text.split(/\n *caused by: /);
  return causes.reduce((told, cause) => (told.includes(cause) ? told : `${told}, caused by: ${cause}`), first);
}

/** A Role on one line is not YAML: `tenon explain` prints it. */
function withoutRole(text: string): string {
  const start = text.indexOf("; to allow it, apply this");
  return start < 0 ? text : `${text.slice(0, start)}; \`tenon explain\` prints the Role that allows it`;
}

/** A template that reached a bound. */
function isBeyondBounds(cause: unknown): boolean {
  return cause instanceof InputError && cause.cause instanceof LimitError;
}

const failedWork: Readonly<Record<FailedStage, string>> = {
  created: "stage created",
  coupled: "stage coupled",
  updated: "stage updated",
  decoupled: "stage decoupled",
  deleted: "stage deleted",
  config: "reading the inputs",
  result: "delivering the results",
  repair: "the repair of an object",
  projection: "mounting the binding",
};

/** What failed, for all conditions but `Failed`, and for Events: the whole message is long, and `kubectl describe` shows them all. */
export function briefOf({ stage, side }: Partial<Pick<CouplingFailure, "stage" | "side">>): string {
  const where = side === undefined ? "" : ` on the ${side}'s side`;
  return `${stage === undefined ? "the reconciliation" : failedWork[stage]} failed${where}; see the condition Failed`;
}

/** Missing rights and invalid objects need a change by the user. */
function isForUser(cause: unknown): boolean {
  if (cause instanceof ApiError) return cause.isForbidden || cause.status === 422;
  return cause instanceof InputError || cause instanceof ConflictError;
}

/** What failed in the end, and the field of its template. */
export function rootOf(error: unknown): { readonly cause: unknown; readonly field: string | undefined } {
  if (error instanceof StageError) return rootOf(error.cause);
  if (error instanceof ActionError) return { cause: error.cause, field: error.field };
  return { cause: error, field: undefined };
}

const firstMs = 1_000;
const longestMs = 5 * 60_000;
const jitter = 0.2;

/** The delay after so many failures in a row. */
export function retryDelayMs(attempts: number, random: () => number): number {
  const plain = Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), longestMs);
  return plain * (1 - jitter + 2 * jitter * random());
}

/** The `lastError` after a failure. A failure in another stage than the last starts a new series: there was progress. */
export function lastErrorAfter(
  { stage, side, isRefused }: CouplingFailure,
  last: LastError | undefined,
  { clock, random }: Pick<CouplingDeps, "clock" | "random">,
): { readonly lastError: LastError; readonly restMs: number } {
  const before = last?.stage === stage ? last : undefined;
  const attempts = (before?.attempts ?? 0) + 1;
  const restMs = isRefused ? longestMs * (1 - jitter * random()) : retryDelayMs(attempts, random);
  const now = new Date(clock.now()).toISOString();
  const lastError = {
    at: now,
    since: before?.since ?? now,
    attempts,
    ...(stage === undefined ? {} : { stage }),
    ...(side === undefined ? {} : { side }),
    retryAt: new Date(clock.now() + restMs).toISOString(),
  };
  return { lastError, restMs };
}

type PatienceDeps = Pick<CouplingDeps, "cluster" | "report" | "clock">;

const defaultTimeoutMs = 5 * 60_000;

/** The apparatus client wakes what waits for it; this is the fallback. */
export const waitMs = 60_000;

/**
 * When a failing decoupling is given up, in milliseconds since the epoch, so that a failure of another tenant cannot block a
 * deletion or a move for ever. Undefined if neither is pending.
 */
export function giveUpAt(
  plug: KubeObject,
  socket: KubeObject | undefined,
  failingSince: string | undefined,
  deps: PatienceDeps,
): number | undefined {
  const ends = [plug, socket].flatMap((object) => (object ? (deletionEnd(object, deps) ?? []) : []));
  if (failingSince !== undefined) ends.push(Date.parse(failingSince) + timeoutOf(plug, deps));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** In a namespace that is being deleted, nothing is waited for. */
function deletionEnd(object: KubeObject, deps: PatienceDeps): number | undefined {
  const { namespace = "", deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const isTerminating = deps.cluster.namespace(namespace)?.metadata.deletionTimestamp !== undefined;
  return isTerminating || isForced(object) ? 0 : Date.parse(deletionTimestamp) + timeoutOf(object, deps);
}

/** The owner requested deletion without waiting. */
export function isForced({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.annotations?.[annotations.forceDelete] === "true";
}

function timeoutOf({ kind, metadata }: KubeObject, { report: { log } }: PatienceDeps): number {
  const text = metadata.annotations?.[annotations.decoupleTimeout];
  if (text === undefined) return defaultTimeoutMs;
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  const object = `${kind} ${metadata.namespace}/${metadata.name}`;
  log.warn("not a valid duration; using the default", { object, annotation: annotations.decoupleTimeout, value: text });
  return defaultTimeoutMs;
}
