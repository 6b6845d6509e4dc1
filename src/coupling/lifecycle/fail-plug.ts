import { keyOf, type KubeObject } from "#kube";
import { requeueAfter, type Result } from "#runtime";
import { type LastError, type Phase, Plug, requestedSocket, warnings } from "../kinds/index.ts";
import { type FailedAttempt, socketOfPairing, writeStatus } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { briefOf, failureOf, giveUpAt, lastErrorAfter, type Wait, waitMs, waitOf } from "./coupling-failure.ts";
import { describeMissingAccount } from "./missing-account.ts";
import { failedAt, reportPlug, reportPlugFailure } from "./report-status.ts";

/** Reports a failure, saves the progress, and schedules the next attempt. The socket and other plugs are not affected. */
export async function failPlug(error: unknown, failed: FailedAttempt, deps: CouplingDeps): Promise<Result> {
  const { object, session, status, memory, isCreated } = failed;
  const wait = waitOf(error);
  if (wait) return await waitForApparatus(wait, failed, lastErrorOf(object), deps);
  session.answers.fail();
  const failure = failureOf(error, session.redact);
  const { isForUser, stage } = failure;
  const account = await describeMissingAccount(error, deps);
  const owner = failure.side === "socket" && isForUser ? ownerOfSocket(failed) : undefined;
  const message = [failure.message, account, owner].filter((part) => part !== undefined).join("; ");
  const { lastError, restMs } = lastErrorAfter(failure, lastErrorOf(object), deps);
  const { attempts, since } = lastError;
  deps.report.metrics.failed("Plug");
  deps.report.log.warn("plug failed", { plug: keyOf(object), attempts, restMs: Math.round(restMs), error: message });
  deps.report.events.Plug.record(object, { type: "Warning", reason: warnings.failed, message: briefOf(failure) });
  reportPlugFailure(status, { ...failure, message }, failedAt(stage, isCreated));
  const socket = memory?.pairing && socketOfPairing(memory.pairing, deps);
  const end = giveUpAt(object, socket, stage === "decoupled" ? since : undefined, deps) ?? Infinity;
  const leftMs = end - deps.clock.now();
  const nextMs = leftMs > 0 ? Math.min(restMs, leftMs) : restMs;
  status.set({ lastError: { ...lastError, retryAt: new Date(deps.clock.now() + nextMs).toISOString() } });
  await writeStatus(status, deps.cluster.plugs);
  return requeueAfter(nextMs);
}

/** The author of the plug cannot solve it. */
function ownerOfSocket({ object, memory }: FailedAttempt): string | undefined {
  const { namespace, name } = memory?.pairing?.socket ?? requestedSocket(Plug.parse(object)) ?? {};
  if (name === undefined) return undefined;
  return `ask the owner of Socket ${namespace}/${name}`;
}

function lastErrorOf(object: KubeObject) {
  try {
    return Plug.parse(object).status?.lastError;
  } catch {
    return undefined; // the object itself is not valid
  }
}

/** Reports what a plug waits for, if the wait is long enough, and saves the progress. The apparatus client wakes the plug. */
async function waitForApparatus(
  { reason, stage, side }: Wait,
  { object, status, memory, isCreated }: FailedAttempt,
  before: LastError | undefined,
  deps: CouplingDeps,
): Promise<Result> {
  if (reason !== undefined) {
    reportPlug(status, Plug.parse(object), "WaitingForApparatus", reason);
    status.set({ phase: phaseOf(stage, isCreated), lastError: before });
  }
  let since: string | undefined;
  if (stage === "decoupled") {
    // An apparatus that does not start must not block a move.
    const isFirst = before?.stage !== stage;
    const at = new Date(deps.clock.now()).toISOString();
    since = (isFirst ? undefined : before.since) ?? at;
    if (isFirst) status.set({ lastError: { at, since, stage, attempts: 0, ...(side ? { side } : {}) } });
  }
  await writeStatus(status, deps.cluster.plugs);
  const socket = memory?.pairing && socketOfPairing(memory.pairing, deps);
  const leftMs = (giveUpAt(object, socket, since, deps) ?? Infinity) - deps.clock.now();
  return requeueAfter(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
}

/** `Pending` with this reason means that `created` is not done yet. */
function phaseOf(stage: Wait["stage"], isCreated: boolean): Phase {
  if (!isCreated) return "Pending";
  if (stage === "decoupled" || stage === "deleted") return "Decoupling";
  return stage === "updated" ? "Updating" : "Coupling";
}
