import { keyOf, type KubeObject } from "#kube";
import { requeueAfter, type Result, type TrackedStatus } from "#runtime";
import { parseSocket, warnings } from "../kinds/index.ts";
import { writeStatus } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { briefOf, failureOf, giveUpAt, lastErrorAfter, waitMs, waitOf } from "./coupling-failure.ts";
import { describeMissingAccount } from "./missing-account.ts";
import { unchanged } from "./plug-session.ts";
import { failedAt, reportSocketFailure, reportSocketWait } from "./report-status.ts";
import { isCreated } from "./unparsed-objects.ts";

/** Reports a failure, or what the socket waits for, and schedules the next attempt. */
export async function failSocket(
  error: unknown,
  object: KubeObject,
  status: TrackedStatus,
  deps: CouplingDeps,
): Promise<Result> {
  const leftMs = (giveUpAt(object, undefined, undefined, deps) ?? Infinity) - deps.clock.now();
  const wait = waitOf(error);
  if (wait) {
    if (wait.reason !== undefined) reportSocketWait(status, wait.reason, isCreated(object));
    await writeStatus(status, deps.cluster.sockets);
    return requeueAfter(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
  }
  const failure = failureOf(error, unchanged);
  const account = await describeMissingAccount(error, deps);
  const message = account === undefined ? failure.message : `${failure.message}; ${account}`;
  const { lastError, restMs } = lastErrorAfter(failure, lastErrorOf(object), deps);
  const { attempts } = lastError;
  deps.report.metrics.failed("Socket");
  deps.report.log.warn("socket failed", {
    socket: keyOf(object),
    attempts,
    restMs: Math.round(restMs),
    error: message,
  });
  deps.report.events.Socket.record(object, {
    type: "Warning",
    reason: warnings.failed,
    message: briefOf({ stage: failure.stage }),
  });
  reportSocketFailure(status, { ...failure, message }, lastError, failedAt(failure.stage, isCreated(object)));
  await writeStatus(status, deps.cluster.sockets);
  return requeueAfter(leftMs > 0 ? Math.min(restMs, leftMs) : restMs);
}

function lastErrorOf(object: KubeObject) {
  try {
    return parseSocket(object).status?.lastError;
  } catch {
    return undefined; // the object itself is not valid
  }
}
