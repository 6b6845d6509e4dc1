import type { Clock } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import type { TrackedStatus } from "#runtime";
import { releaseConditions } from "../kinds/promotion-names.ts";
import { trackUpstreamStatus } from "../snapshots/snapshot-condition.ts";
import { type ConditionState, conditionState, releaseStatus } from "./release-state.ts";

interface DraftDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly mayWrite: () => boolean;
}

const reasons = {
  progressing: ["False", "Progressing"],
  succeeded: ["True", "Succeeded"],
  skipped: ["True", "Skipped"],
  failed: ["False", "Failed"],
} as const;

/** The status of a Release while it is decided: read with the changes that are not written yet. */
export class ReleaseDraft {
  readonly release: KubeObject;
  readonly #status: TrackedStatus;
  readonly #clock: Clock;
  readonly #states = new Map<string, ConditionState>();
  readonly #fields = new Map<string, unknown>();

  constructor(release: KubeObject, { client, clock, mayWrite }: DraftDeps) {
    this.release = release;
    this.#clock = clock;
    this.#status = trackUpstreamStatus(release, client, { clock, mayWrite });
  }

  state(type: string): ConditionState {
    return this.#states.get(type) ?? conditionState(this.release, type);
  }

  isFinished(type: string): boolean {
    const state = this.state(type);
    return state !== "absent" && state !== "progressing";
  }

  set(type: string, state: Exclude<ConditionState, "absent">, message: string): void {
    const [status, reason] = reasons[state];
    this.#states.set(type, state);
    this.#status.setCondition({ type, status, reason, message });
  }

  field(name: string): unknown {
    return this.#fields.has(name) ? this.#fields.get(name) : releaseStatus(this.release)[name];
  }

  setField(name: string, value: unknown): void {
    this.#fields.set(name, value);
    this.#status.set({ [name]: value });
  }

  /** Sets a field that has no value yet. */
  default(name: string, value: unknown): void {
    if (this.field(name) === undefined) this.setField(name, value);
  }

  /** The release itself has failed; what has not started will not, but for the final pipeline. */
  fail(message: string): void {
    if (this.state(releaseConditions.released) !== "failed") this.set(releaseConditions.released, "failed", message);
  }

  /** The time as the API server writes it. */
  get time(): string {
    return timeText(this.#clock.now());
  }

  /** Writes what changed; undefined if the Release is gone. */
  async write(): Promise<KubeObject | undefined> {
    await this.#status.write();
    return this.#status.isGone ? undefined : this.#status.object;
  }
}

/** Kubernetes has whole seconds. */
export function timeText(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, "Z");
}
