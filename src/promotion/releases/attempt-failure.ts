import type { ReleaseAttempt } from "../kinds/release.ts";

/** Why a run failed, as the status of a Release says it, and what the task had that failed. */
export interface AttemptFailure {
  readonly reason: NonNullable<ReleaseAttempt["failureReason"]>;
  readonly lastTask?: string;
  readonly lastStep?: string;
  readonly successfulTasks: number;
  readonly memoryLimit?: string;
  readonly memoryRequest?: string;
  readonly taskTimeout?: string;
}
