import type { Clock } from "#base";
import type { HealthCheck, HealthCheckResult } from "#runtime";

/** No run takes this long: it hangs, and a restart helps. */
const longestRunMs = 30 * 60_000;

/** What probes hear of a manager's runs. */
export class RunHealth {
  readonly #clock: Pick<Clock, "now">;
  #runningSince: number | undefined;
  #last: { readonly at: number; readonly isSuccess: boolean } | undefined;
  #problem: string | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  get checks(): readonly HealthCheck[] {
    return [
      { name: "manager", probe: "healthz", examine: () => this.#examineLife() },
      { name: "manager", probe: "readyz", examine: () => this.#examineWork() },
    ];
  }

  started(): void {
    this.#runningSince = this.#clock.now();
    this.#problem = undefined;
  }

  failed(problem: string): void {
    this.#problem = problem;
  }

  ended(isSuccess: boolean): void {
    this.#runningSince = undefined;
    this.#last = { at: this.#clock.now(), isSuccess };
  }

  #examineLife(): HealthCheckResult {
    const since = this.#runningSince;
    const isStuck = since !== undefined && this.#clock.now() - since > longestRunMs;
    return { isGood: !isStuck, message: isStuck ? "a run is stuck" : "alive", ...(isStuck ? { since } : {}) };
  }

  /** A run with failures is work done: it says so in metrics and logs. Without any run there is nothing to rely on. */
  #examineWork(): HealthCheckResult {
    if (!this.#last) return { isGood: false, message: this.#problem ?? "no run has ended yet" };
    const { at, isSuccess } = this.#last;
    const time = new Date(at).toISOString();
    return {
      isGood: true,
      message: `last run ended ${time}, ${isSuccess ? "successful" : (this.#problem ?? "with failures")}`,
    };
  }
}
