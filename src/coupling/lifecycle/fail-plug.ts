import { keyOf, type KubeObject } from "#kube";
import { requeueAfter, type Result } from "#runtime";
import { warnings } from "../kinds/names.ts";
import { Plug } from "../kinds/plug.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { socketOfPairing } from "./decouple.ts";
import { failureOf, lastErrorAfter, waitOf } from "./failure.ts";
import { giveUpAt } from "./patience.ts";
import { type FailedLook, noteStatus } from "./plug-look.ts";
import { reportPlugFailure } from "./report-plug.ts";
import { waitForApparatus } from "./wait-for-apparatus.ts";

/** Says what failed, remembers how far it got, and looks again later. The socket and the other plugs hear nothing of it. */
export async function failPlug(error: unknown, failed: FailedLook, deps: CouplingDeps): Promise<Result> {
  const { object, status, memory, isCreated } = failed;
  const wait = waitOf(error);
  if (wait) return await waitForApparatus(wait, failed, lastErrorOf(object), deps);
  const { uid = "" } = object.metadata;
  deps.answers.fail(uid);
  const failure = failureOf(error, deps.secrets.redactFor(uid));
  const { message, reason, isForUser, stage } = failure;
  const { lastError, restMs } = lastErrorAfter(failure, lastErrorOf(object), deps);
  const { attempts, since } = lastError;
  deps.metrics.failed("Plug");
  deps.log.warn("plug failed", { plug: keyOf(object), attempts, restMs: Math.round(restMs), error: message });
  deps.events.Plug.record(object, { type: "Warning", reason: warnings.failed, message });
  if (isForUser) status.stalled(reason, message);
  else status.failed(reason, message);
  reportPlugFailure(status, reason, message, isCreated);
  const socket = memory?.pairing && socketOfPairing(memory.pairing, deps);
  const end = giveUpAt(object, socket, stage === "decoupled" ? since : undefined, deps) ?? Infinity;
  const leftMs = end - deps.clock.now();
  const nextMs = leftMs > 0 ? Math.min(restMs, leftMs) : restMs;
  status.set({ lastError: { ...lastError, retryAt: new Date(deps.clock.now() + nextMs).toISOString() } });
  await noteStatus(status, deps.plugs);
  return requeueAfter(nextMs);
}

function lastErrorOf(object: KubeObject) {
  try {
    return Plug.parse(object).status?.lastError;
  } catch {
    return undefined; // the object is what failed
  }
}
