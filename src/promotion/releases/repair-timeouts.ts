import type { RunTimeouts } from "../scenarios/run-timeouts.ts";

const minute = 60_000_000_000n;

/**
 * Timeouts that Tekton accepts: the whole run is never shorter than its parts together. What is missing is filled in where
 * something else decides it; a timeout of `finally` alone decides nothing, and the defaults hold.
 */
export function repairTimeouts(given: RunTimeouts, defaults: RunTimeouts = {}): RunTimeouts {
  const { pipeline, tasks, finally: last } = given;
  if (pipeline === undefined) {
    if (tasks === undefined) return isEmpty(defaults) ? {} : repairTimeouts(defaults);
    if (last === undefined) return { pipeline: tasks + bufferOf(undefined), tasks };
    return { pipeline: tasks + last, tasks, finally: last };
  }
  const buffer = bufferOf(pipeline);
  const divided = { pipeline, tasks: pipeline - buffer, finally: buffer };
  if (tasks === undefined && last === undefined) return { pipeline, tasks: pipeline - buffer };
  if (tasks === undefined && last !== undefined) {
    return last * 2n <= pipeline ? { pipeline, tasks: pipeline - last, finally: last } : divided;
  }
  return (tasks ?? 0n) + (last ?? 0n) <= pipeline ? given : divided;
}

/** The time that is left for `finally`. */
function bufferOf(pipeline: bigint | undefined): bigint {
  return pipeline !== undefined && pipeline < 20n * minute ? pipeline / 2n : 10n * minute;
}

function isEmpty({ pipeline, tasks }: RunTimeouts): boolean {
  return pipeline === undefined && tasks === undefined;
}
