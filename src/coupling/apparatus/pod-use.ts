import { type Clock, describeError, type Logger } from "#base";
import type { KubeObject } from "#kube";
import { annotations } from "../kinds/names.ts";
import { describeObject } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import type { OwnPods } from "./own-pods.ts";
import { PerOwner } from "./per-owner.ts";

export interface PodUseOptions {
  readonly pods: OwnPods;
  /** The plug or socket of that name, if it is one; undefined if it cannot be read. */
  readonly ownerOf: (kind: string, key: string) => Plug | Socket | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** A pod is no longer in use. */
  readonly onIdle: () => void;
}

interface Use {
  inFlight: number;
  /** Milliseconds since the epoch. */
  last: number;
  written: number;
}

/** An annotation that is a few seconds old costs a pod a few seconds, and only if we are killed meanwhile. */
const writeEveryMs = 5_000;

/** When the pods of apparatuses were used last: exactly in memory, and roughly on the pods, for whoever comes after us. */
export class PodUse {
  readonly #options: PodUseOptions;
  readonly #uses: PerOwner<Use>;

  constructor(options: PodUseOptions) {
    this.#options = options;
    this.#uses = new PerOwner(options.ownerOf);
  }

  /** Nobody stops the pod meanwhile. */
  async during<Result>(object: Plug | Socket, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const use = this.#uses.get(object, () => ({ inFlight: 0, last: 0, written: 0 }));
    use.inFlight++;
    try {
      return await task();
    } finally {
      use.inFlight--;
      use.last = this.#options.clock.now();
      this.#options.onIdle();
      await this.#write(object, use, signal);
    }
  }

  /** When a pod was used last, in milliseconds since the epoch; undefined while it is in use. */
  lastOf(pod: KubeObject, ownerUid: string): number | undefined {
    const use = this.#uses.find(ownerUid);
    if (use && use.inFlight > 0) return undefined;
    const { annotations: found = {}, creationTimestamp = "" } = pod.metadata;
    const times = [Date.parse(found[annotations.lastUsed] ?? ""), Date.parse(creationTimestamp), use?.last ?? 0];
    return Math.max(...times.filter((time) => !Number.isNaN(time)));
  }

  forget(ownerUid: string): void {
    this.#uses.forget(ownerUid);
  }

  async #write(object: Plug | Socket, use: Use, signal: AbortSignal): Promise<void> {
    const { pods, log } = this.#options;
    const pod = pods.find(object);
    if (!pod || use.last - use.written < writeEveryMs || signal.aborted) return;
    use.written = use.last;
    const at = new Date(use.last).toISOString();
    await pods.annotate(object, pod, { [annotations.lastUsed]: at }, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      log.debug("the last use of a pod is not written down", {
        object: describeObject(object),
        error: describeError(error),
      });
    });
  }
}
