import { type Redact, redact as redactAll } from "#base";

export type ConditionStatus = "True" | "False" | "Unknown";

/** A condition as a controller reports it; `setCondition` adds the time of its last transition. */
export interface ConditionChange {
  readonly type: string;
  readonly status: ConditionStatus;
  /** For machines, in CamelCase. */
  readonly reason: string;
  /** For people. Secrets are masked. */
  readonly message: string;
}

/** An entry of `status.conditions`. Only the type is guaranteed, because other controllers write conditions too. */
export interface Condition extends Partial<ConditionChange> {
  readonly type: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export interface ConditionContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The generation of the object that the conditions describe. */
  readonly generation: number | undefined;
  /** Masks secrets in texts that readers of the object see; default: every secret that this process knows. */
  readonly redact?: Redact;
}

/** The API server counts bytes: https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/validation/validation.go */
const longestMessage = 32 * 1024;
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const ellipsis = "...";

/** Replaces the condition of the same type in place. Keeps its `lastTransitionTime` if the status did not change. */
export function setCondition(
  conditions: readonly Condition[],
  change: ConditionChange,
  { now, generation, redact = redactAll }: ConditionContext,
): readonly Condition[] {
  if (!reasonPattern.test(change.reason) || change.reason.length > 1024) {
    throw new RangeError(`${JSON.stringify(change.reason)} is not a valid condition reason: expected CamelCase`);
  }
  const before = conditions.find(({ type }) => type === change.type);
  const hasKept = before?.status === change.status && before.lastTransitionTime !== undefined;
  const condition = {
    ...before,
    ...change,
    message: shorten(redact(change.message)),
    lastTransitionTime: hasKept ? before.lastTransitionTime : formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return before ? conditions.map((each) => (each === before ? condition : each)) : [...conditions, condition];
}

export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Kubernetes writes and compares these times by the second. */
function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, "Z");
}

function shorten(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= longestMessage) return message;
  let end = longestMessage - ellipsis.length;
  // Bytes 10xxxxxx continue a character of UTF-8, which must not be cut in two.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end) + ellipsis;
}
