import type { Clock } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import type { Plug, Socket } from "../../kinds/index.ts";
import type { OwnPods } from "./own-pods.ts";
import { specHashOf } from "./pod-objects.ts";
import { nextStep, podProblem, podRun } from "./pod-state.ts";
import type { OwnService } from "../transport/service-routes.ts";

/** What a start reports while it runs. */
export interface WaitProgress {
  /** What it waits for. `isBad`: it will not pass soon, so it is reported at once. */
  waitsFor(what: string, isBad?: boolean): void;
}

/** A pod that has answered. */
export interface ReadyPod {
  readonly service: OwnService;
  /** Identifies the pod and its restarts. */
  readonly run: string;
}

interface StartDeps {
  readonly pods: OwnPods;
  /** The newest known object; throws when it no longer exists. */
  readonly current: () => Plug | Socket;
  /** Whether the apparatus answers. */
  readonly ping: (object: Plug | Socket, service: OwnService, signal: AbortSignal) => Promise<boolean>;
  /** Resolves when the pod has changed, or after so long. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** After each change of the pod, pings start fast and slow down. */
const shortestPauseMs = 50;
const longestPauseMs = 2_000;

/** Starts or replaces the pod of an apparatus until it answers, and reports what it waits for. It ends only with the signal. */
export async function startPod(
  { pods, current, ping, pause }: StartDeps,
  progress: WaitProgress,
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
    // After a change, the pod may be ready within moments.
    if (pod && pod.metadata.resourceVersion !== seenVersion) pauseMs = shortestPauseMs;
    seenVersion = pod?.metadata.resourceVersion;
    if (pod) tell(pod, progress);
    switch (step) {
      case "create":
        // The watch reports the new pod a moment later.
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
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
  }
}

/** A pod without an address cannot answer. */
function mayBeAsked({ status }: KubeObject): boolean {
  return typeof status === "object" && status !== null && "podIP" in status;
}

function tell(pod: KubeObject, progress: WaitProgress): void {
  const name = describeRef(refOf(pod));
  const problem = podProblem(pod);
  if (problem !== undefined) progress.waitsFor(`the apparatus cannot start: ${name}: ${problem}`, true);
  else progress.waitsFor(`waiting for the apparatus to start: ${name}`);
}

interface Start {
  readonly ready: Promise<ReadyPod>;
  readonly ending: AbortController;
  readonly listeners: Set<WaitProgress>;
  /** The last report, for later listeners. */
  told: Parameters<WaitProgress["waitsFor"]> | undefined;
}

/** Starts each pod once, for all its waiters; a start without waiters is cancelled. */
export class SharedStarts {
  readonly #starts = new Map<string, Start>();

  async join(
    uid: string,
    begin: (progress: WaitProgress, signal: AbortSignal) => Promise<ReadyPod>,
    progress: WaitProgress,
    signal: AbortSignal,
  ): Promise<ReadyPod> {
    signal.throwIfAborted();
    const start = this.#starts.get(uid) ?? this.#begin(uid, begin);
    const listener: WaitProgress = { waitsFor: (...words) => progress.waitsFor(...words) };
    start.listeners.add(listener);
    if (start.told) listener.waitsFor(...start.told);
    const called = Promise.withResolvers<never>();
    const giveUp = (): void => called.reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await Promise.race([start.ready, called.promise]);
    } finally {
      signal.removeEventListener("abort", giveUp);
      start.listeners.delete(listener);
      if (start.listeners.size === 0) this.#end(uid, start);
    }
  }

  #begin(uid: string, begin: (progress: WaitProgress, signal: AbortSignal) => Promise<ReadyPod>): Start {
    const ending = new AbortController();
    const listeners = new Set<WaitProgress>();
    const waitsFor: WaitProgress["waitsFor"] = (...words) => {
      start.told = words;
      for (const listener of listeners) listener.waitsFor(...words);
    };
    // Deferred, so that `start` exists when it reports progress.
    const ready = Promise.resolve().then(() => begin({ waitsFor }, ending.signal));
    // The waiters get the error; there may be none left.
    ready.catch(() => {});
    const start: Start = { ready, ending, listeners, told: undefined };
    this.#starts.set(uid, start);
    return start;
  }

  #end(uid: string, start: Start): void {
    start.ending.abort(new Error("the start was cancelled"));
    if (this.#starts.get(uid) === start) this.#starts.delete(uid);
  }
}

/** Ends pauses early when the pod that they wait for has changed. */
export class PodWakeups {
  readonly #clock: Clock;
  readonly #sleepers = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  tell(uid: string): void {
    for (const sleeper of this.#sleepers.get(uid) ?? []) sleeper.abort();
  }

  /** Pauses that a change of this owner's pod ends. */
  of(uid: string): (ms: number, signal: AbortSignal) => Promise<void> {
    return async (ms, signal) => {
      const woken = new AbortController();
      const sleepers = this.#sleepers.get(uid) ?? new Set();
      this.#sleepers.set(uid, sleepers.add(woken));
      await this.#clock.sleep(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
      sleepers.delete(woken);
      if (sleepers.size === 0 && this.#sleepers.get(uid) === sleepers) this.#sleepers.delete(uid);
      signal.throwIfAborted();
    };
  }
}
