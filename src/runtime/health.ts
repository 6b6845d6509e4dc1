import { type Clock, describeError, redact } from "#base";

/** The result of one check; `since` in milliseconds since the epoch, if the check knows it. */
export interface HealthCheckResult {
  readonly isGood: boolean;
  readonly message: string;
  readonly since?: number;
}

/**
 * healthz: whether the process should keep running; only failures that a restart fixes belong here.
 * readyz: whether it can do its work now.
 */
export type HealthProbe = "healthz" | "readyz";

export interface HealthCheck {
  readonly name: string;
  readonly probe: HealthProbe;
  examine(): HealthCheckResult;
}

export interface CheckReport {
  readonly name: string;
  readonly isGood: boolean;
  readonly message: string;
  /** For a failing check: since when, if known. */
  readonly since?: string;
}

export interface HealthReport {
  readonly isGood: boolean;
  readonly checks: readonly CheckReport[];
}

/** Runs the checks on request. Remembers since when a check fails, for checks that do not report it. */
export class Health {
  readonly #clock: Pick<Clock, "now">;
  readonly #checks: HealthCheck[] = [];
  readonly #failingSince = new Map<HealthCheck, number>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  add(...checks: readonly HealthCheck[]): void {
    this.#checks.push(...checks);
  }

  report(probe: HealthProbe): HealthReport {
    const checks = this.#checks.filter((check) => check.probe === probe).map((check) => this.#examine(check));
    return { isGood: checks.every(({ isGood }) => isGood), checks };
  }

  #examine(check: HealthCheck): CheckReport {
    const { isGood, message, since } = examine(check);
    const report = { name: check.name, isGood, message: redact(message) };
    if (isGood) {
      this.#failingSince.delete(check);
      return report;
    }
    const failingSince = since ?? this.#failingSince.get(check) ?? this.#clock.now();
    this.#failingSince.set(check, failingSince);
    return { ...report, since: new Date(failingSince).toISOString() };
  }
}

function examine(check: HealthCheck): HealthCheckResult {
  try {
    return check.examine();
  } catch (error) {
    return { isGood: false, message: `the check itself failed: ${describeError(error)}` };
  }
}
