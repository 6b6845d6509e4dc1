import { describeRef, type KubeObject, refOf } from "#kube";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import type { Progress } from "./errands.ts";
import type { OwnPods } from "./own-pods.ts";
import { specHashOf } from "./pod-objects.ts";
import { nextStep, podProblem, podRun } from "./pod-state.ts";
import type { OwnService } from "./service-routes.ts";

/** A pod that has answered. */
export interface ReadyPod {
  readonly service: OwnService;
  /** Which run of which pod it was. */
  readonly run: string;
}

export interface StartDeps {
  readonly pods: OwnPods;
  /** The object as it is wanted now; throws when it is gone. */
  readonly current: () => Plug | Socket;
  /** Whether the apparatus answers. */
  readonly ping: (object: Plug | Socket, service: OwnService, signal: AbortSignal) => Promise<boolean>;
  /** Resolves when the pod has changed, or after so long. */
  readonly news: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** After each change of the pod, it is asked often at first, because it is about to answer, and then ever more seldom. */
const shortestPauseMs = 50;
const longestPauseMs = 2_000;

/** Does whatever it takes until the pod of an apparatus answers, and says what it waits for. It gives up when told only. */
export async function startPod(
  { pods, current, ping, news }: StartDeps,
  progress: Pick<Progress, "waitsFor">,
  signal: AbortSignal,
): Promise<ReadyPod> {
  const service = await pods.ensureService(current(), signal);
  let pauseMs = shortestPauseMs;
  let seenVersion: string | undefined;
  let isExpected = false;
  for (;;) {
    signal.throwIfAborted();
    const object = current();
    const pod = pods.find(object);
    const step = nextStep(pod, specHashOf(object));
    // However long it took to get here, the rest may be a matter of moments.
    if (pod && pod.metadata.resourceVersion !== seenVersion) pauseMs = shortestPauseMs;
    seenVersion = pod?.metadata.resourceVersion;
    if (pod) tell(pod, progress);
    switch (step) {
      case "create":
        // What was just made is heard of a moment later.
        if (!isExpected) await pods.create(object, service.name, signal);
        isExpected = !isExpected;
        break;
      case "replace":
        if (pod) await pods.delete(object, pod, signal);
        break;
      case "wait for its end":
        break;
      case "ask whether it is ready":
        if (pod && mayBeAsked(pod) && (await ping(object, service, signal))) return { service, run: podRun(pod) };
        break;
    }
    await news(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
  }
}

/** Nobody can answer before it has an address. */
function mayBeAsked({ status }: KubeObject): boolean {
  return typeof status === "object" && status !== null && "podIP" in status;
}

function tell(pod: KubeObject, { waitsFor }: Pick<Progress, "waitsFor">): void {
  const name = describeRef(refOf(pod));
  const problem = podProblem(pod);
  if (problem !== undefined) waitsFor(`the apparatus cannot start: ${name}: ${problem}`, true);
  else waitsFor(`waiting for the apparatus to start: ${name}`);
}
