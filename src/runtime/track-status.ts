import { type Clock, describeError, isRecord, type Redact, redact as redactAll } from "#base";
import { type KubeClient, type KubeObject, refOf } from "#kube";
import type { ConditionChange } from "./conditions.ts";
import { mergePatch } from "./merge-patch.ts";
import { done, isTerminal, type Result, TerminalError } from "./result.ts";
import { StatusChanges } from "./status-changes.ts";
import { preconditions, writeConditionally } from "./write-conditionally.ts";

export interface TrackStatusOptions {
  readonly clock: Pick<Clock, "now" | "after">;
  /** Asked before each write: a process that no longer leads has nothing to say. */
  readonly mayWrite?: () => boolean;
  readonly fieldManager?: string;
  readonly timeoutMs?: number;
  /** Masks what is secret to the readers of the object; default: all that is known to be secret to anybody. */
  readonly redact?: Redact;
}

/**
 * What a reconcile has to say about its object, collected and written once, when it is disposed of.
 *
 * Of the conditions, https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus makes: `Ready` is True when all
 * is well, and then neither of the others is there; `Reconciling` is there while we go on by ourselves; `Stalled` while
 * somebody must change something first.
 */
export interface TrackedStatus extends AsyncDisposable {
  /** The object as it was after the last write. */
  readonly object: KubeObject;
  /** A write found no such object any more: what it had to say is lost. */
  readonly isGone: boolean;
  /** The last write was not made, because somebody else speaks for the object now: another leader, or who saw a newer generation. */
  readonly isWithheld: boolean;
  /** Top-level fields of the status; undefined removes one. */
  set(fields: Readonly<Record<string, unknown>>): void;
  setCondition(change: ConditionChange): void;
  removeCondition(type: string): void;
  /** All is as it should be. */
  ready(message?: string): Result;
  /** Something that is not there yet will wake us. */
  waiting(reason: string, message: string): Result;
  /** Gives back the error, to be thrown: we try again, unless it is terminal, which is `stalled`. */
  failed(reason: string, error: unknown): Error;
  /** Gives back a terminal error, to be thrown: somebody must change something. */
  stalled(reason: string, error: unknown): Error;
  /** Writes what has changed, if anything has. Called by disposing. */
  write(): Promise<void>;
}

/**
 * By a merge patch on `/status` that carries the version it was made for. A PUT would need the whole object, which a cache
 * of metadata does not have, and would send back fields of a newer version that we have never heard of.
 */
export function trackStatus(
  object: KubeObject,
  client: Pick<KubeClient, "find" | "patch">,
  options: TrackStatusOptions,
): TrackedStatus {
  const { clock, mayWrite = () => true, fieldManager = "tenon", timeoutMs = 10_000, redact = redactAll } = options;
  const { generation } = object.metadata;
  let latest = object;
  let isGone = false;
  let isWithheld = false;
  let changes = new StatusChanges();

  function conclude(ready: Omit<ConditionChange, "type">, other?: ConditionChange): void {
    changes.setCondition({ type: "Ready", ...ready });
    for (const type of ["Reconciling", "Stalled"]) if (type !== other?.type) changes.removeCondition(type);
    if (other) changes.setCondition(other);
  }

  function patchFor(current: KubeObject): unknown {
    const status = isRecord(current.status) ? current.status : {};
    return mergePatch(status, changes.applyTo(status, { now: clock.now(), generation, redact }));
  }

  /** A status alone proves nothing: one that was restored from a backup may speak of generations that never were. */
  function isOutdated({ metadata, status }: KubeObject): boolean {
    if (generation === undefined || (metadata.generation ?? 0) <= generation || !isRecord(status)) return false;
    return typeof status["observedGeneration"] === "number" && status["observedGeneration"] > generation;
  }

  async function write(): Promise<void> {
    if (changes.isEmpty) return;
    const ending = new AbortController();
    using _ = clock.after(timeoutMs, () => ending.abort(new Error(`no answer within ${timeoutMs / 1000} s`)));
    const written = await writeConditionally(
      latest,
      client,
      (current) => {
        const status = patchFor(current);
        isWithheld = isOutdated(current) || !mayWrite();
        if (status === undefined || isWithheld) return undefined;
        const body = { metadata: preconditions(current), status };
        return client.patch(
          refOf(current),
          { type: "merge", subresource: "status", body, fieldManager },
          ending.signal,
        );
      },
      ending.signal,
    );
    isGone = written === undefined;
    latest = written ?? latest;
    changes = new StatusChanges();
  }

  function stalled(reason: string, error: unknown): Error {
    const message = describeError(error, redact);
    conclude({ status: "False", reason, message }, { type: "Stalled", status: "True", reason, message });
    return error instanceof Error && isTerminal(error) ? error : new TerminalError(message, { cause: error });
  }

  return {
    get object() {
      return latest;
    },
    get isGone() {
      return isGone;
    },
    get isWithheld() {
      return isWithheld;
    },
    set: (fields) => changes.setFields(fields),
    setCondition: (change) => changes.setCondition(change),
    removeCondition: (type) => changes.removeCondition(type),
    ready(message = "all is as it should be") {
      conclude({ status: "True", reason: "Succeeded", message });
      return done;
    },
    waiting(reason, message) {
      conclude({ status: "False", reason, message }, { type: "Reconciling", status: "True", reason, message });
      return done;
    },
    failed(reason, error) {
      if (isTerminal(error)) return stalled(reason, error);
      const message = describeError(error, redact);
      const retrying = `Tenon tries again, because: ${message}`;
      conclude(
        { status: "False", reason, message },
        { type: "Reconciling", status: "True", reason: "Retrying", message: retrying },
      );
      return error instanceof Error ? error : new Error(message, { cause: error });
    },
    stalled,
    write,
    [Symbol.asyncDispose]: write,
  };
}
