import { type Clock, describeError, isRecord, type Redact, redact as redactAll } from "#base";
import { defaultFieldManager, type KubeClient, type KubeObject, refOf } from "#kube";
import type { ConditionChange } from "./conditions.ts";
import { mergePatch } from "./merge-patch.ts";
import { done, isTerminal, type Result, TerminalError } from "./result.ts";
import { StatusChanges } from "./status-changes.ts";
import { preconditions, writeConditionally } from "./write-conditionally.ts";

export interface TrackStatusOptions {
  readonly clock: Pick<Clock, "now" | "after">;
  /** Checked before each status write, so that a replica that lost the lease stops writing. */
  readonly mayWrite?: () => boolean;
  readonly fieldManager?: string;
  readonly timeoutMs?: number;
  /** Masks secrets in texts that readers of the object see; default: every secret that this process knows. */
  readonly redact?: Redact;
}

/**
 * The status of one object, collected during a reconcile and written once, when it is disposed of.
 *
 * The conditions follow https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus: `Ready` is True when the
 * object is up to date, and then the other two are absent; `Reconciling` is present while Tenon works or retries; `Stalled`
 * is present while a user must change something first.
 */
export interface TrackedStatus extends AsyncDisposable {
  /** The object as it was after the last write. */
  readonly object: KubeObject;
  /** The object no longer existed at the last write, so the status was not written. */
  readonly isGone: boolean;
  /** The last write was skipped: another replica leads now, or the status already describes a newer generation. */
  readonly isWithheld: boolean;
  /** Top-level fields of the status; undefined removes one. */
  set(fields: Readonly<Record<string, unknown>>): void;
  setCondition(change: ConditionChange): void;
  removeCondition(type: string): void;
  /** The object is up to date. */
  ready(message?: string): Result;
  /** Something is missing; a change of it will trigger the next reconcile. */
  waiting(reason: string, message: string): Result;
  /** Returns the error for the caller to throw. It is retried; a terminal error is reported as `stalled` instead. */
  failed(reason: string, error: unknown): Error;
  /** Returns a terminal error for the caller to throw: a user must change something. */
  stalled(reason: string, error: unknown): Error;
  /** Writes the changes, if there are any. Disposing calls this. */
  write(): Promise<void>;
}

/**
 * Writes a merge patch on `/status` that carries the version it was computed for. A PUT would need the whole object, which
 * a metadata-only cache does not have, and would overwrite fields of a newer API version that Tenon does not know.
 */
export function trackStatus(
  object: KubeObject,
  client: Pick<KubeClient, "find" | "patch">,
  options: TrackStatusOptions,
): TrackedStatus {
  const {
    clock,
    mayWrite = () => true,
    fieldManager = defaultFieldManager,
    timeoutMs = 10_000,
    redact = redactAll,
  } = options;
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

  /** The status alone is not enough: one restored from a backup may name a generation that this object never had. */
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
    ready(message = "up to date") {
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
      const retrying = `Tenon retries, because: ${message}`;
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
