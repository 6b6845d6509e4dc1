import type { Clock } from "#base";
import type { LeaderElection } from "#kube";
import type { HealthCheck, HealthCheckResult } from "./health.ts";

/** How long a process that lost the lease may take to end. */
const patienceMs = 20_000;

/**
 * healthz fails when the process lost the lease and has not ended in time; readyz says whether it leads. A standby is
 * ready, so that it can take over.
 */
export function electionChecks(
  election: Pick<LeaderElection, "state" | "isLeader">,
  clock: Pick<Clock, "now">,
): readonly HealthCheck[] {
  return [
    { name: "leader election", probe: "healthz", examine: () => examineLiveness(election, clock) },
    { name: "leader election", probe: "readyz", examine: () => examineRole(election) },
  ];
}

function examineLiveness({ state }: Pick<LeaderElection, "state">, clock: Pick<Clock, "now">): HealthCheckResult {
  if (state.kind !== "lost") return { isGood: true, message: state.kind };
  const isOverdue = clock.now() - state.since > patienceMs;
  return {
    isGood: !isOverdue,
    message: `the lease is lost and the process has not ended: ${state.why}`,
    since: state.since,
  };
}

function examineRole({ state, isLeader }: Pick<LeaderElection, "state" | "isLeader">): HealthCheckResult {
  const { kind, since } = state;
  if (kind === "leader" && isLeader())
    return { isGood: true, message: `leader since ${new Date(since).toISOString()}` };
  if (kind === "leader") return { isGood: false, message: "leader, but the lease could not be renewed in time" };
  if (kind === "lost") return { isGood: false, message: `the lease is lost: ${state.why}`, since };
  if (kind === "stopped") return { isGood: false, message: "stopped", since };
  if (state.problem !== undefined) return { isGood: false, message: `standby; ${state.problem}` };
  return { isGood: true, message: state.holder === undefined ? "standby" : `standby; ${state.holder} leads` };
}
