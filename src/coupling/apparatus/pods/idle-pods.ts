import { type Clock, describeError, type Logger } from "#base";
import { keyOf, type KubeObject, type ObjectStore } from "#kube";
import type { ApparatusMetrics } from "../../coupling-metrics.ts";
import { annotations, apparatusLabels, describeObject, type Plug, type Socket } from "../../kinds/index.ts";
import type { OwnPods } from "./own-pods.ts";
import { PerOwner } from "./per-owner.ts";
import { isOwnedBy } from "./pod-objects.ts";

interface IdlePodsOptions {
  readonly store: ObjectStore;
  readonly pods: OwnPods;
  readonly use: PodUse;
  /** The plug or socket of that name, if it is one; undefined if it cannot be read. */
  readonly ownerOf: (kind: string, key: string) => Plug | Socket | undefined;
  readonly mayWrite: () => boolean;
  readonly metrics: ApparatusMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

const usualSeconds = 60;
const lookAfterMs = 1_000;
const shortestMs = 250;
const restMs = 30_000;
const unknownMs = 10_000;

/** When a pod may be stopped, in milliseconds since the epoch; undefined: not in its current state. */
export function idleAt(owner: Plug | Socket, lastUse: number | undefined): number | undefined {
  if (lastUse === undefined || owner.metadata.annotations?.[annotations.apparatusKeep] === "true") return undefined;
  return lastUse + (owner.spec.apparatus?.idleTimeout || usualSeconds) * 1_000;
}

/** Stops idle pods, whichever process started them. The last use is recorded on the pods, so that a restart loses nothing. */
export class IdlePods implements Disposable {
  readonly #options: IdlePodsOptions;
  readonly #ending = new AbortController();
  #timer: Disposable | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(options: IdlePodsOptions) {
    this.#options = options;
  }

  /** To be called when a pod has changed, or is no longer in use. Several calls lead to one sweep. */
  watch(): void {
    const soon = this.#options.clock.now() + lookAfterMs;
    if (soon < this.#dueAt) this.#arm(soon);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#ending.abort(new Error("stopped"));
  }

  #arm(at: number): void {
    const { clock, log } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#dueAt = at;
    this.#timer = clock.after(Math.max(at - clock.now(), shortestMs), () => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#sweep().catch((error: unknown) =>
        log.warn("cannot stop idle apparatuses", { error: describeError(error) }),
      );
    });
  }

  #dues(): { readonly pod: KubeObject; readonly owner: Plug | Socket; readonly at: number }[] {
    const { store, pods, use } = this.#options;
    return store.list().flatMap((pod) => {
      const owner = this.#ownerOf(pod);
      const at = owner && idleAt(owner, use.lastOf(pod, owner.metadata.uid ?? ""));
      return owner === undefined || at === undefined || pods.isLeaving(pod) ? [] : [{ pod, owner, at }];
    });
  }

  /** By the owner reference, and only if the label agrees: any tenant can set a label on any pod. */
  #ownerOf(pod: KubeObject): Plug | Socket | undefined {
    const { namespace = "", labels = {}, ownerReferences = [] } = pod.metadata;
    const reference = ownerReferences.find(({ uid }) => uid === labels[apparatusLabels.uid]);
    const owner = reference && this.#options.ownerOf(reference.kind, `${namespace}/${reference.name}`);
    return owner && isOwnedBy(pod, owner) ? owner : undefined;
  }

  async #sweep(): Promise<void> {
    const { clock, store, pods, use, mayWrite, metrics, log } = this.#options;
    const { signal } = this.#ending;
    let next = Number.POSITIVE_INFINITY;
    for (const { pod, owner, at } of this.#dues()) {
      if (at > clock.now() || !mayWrite()) {
        next = Math.min(next, Math.max(at, mayWrite() ? 0 : clock.now() + restMs));
        continue;
      }
      // It may have been called while other pods were stopped.
      if (idleAt(owner, use.lastOf(pod, owner.metadata.uid ?? "")) !== at) continue;
      try {
        await pods.delete(owner, pod, signal);
        metrics.stopped();
        log.info("stopped an idle apparatus", { pod: keyOf(pod) });
      } catch (error) {
        if (signal.aborted) return;
        log.warn("cannot stop an idle apparatus", { pod: keyOf(pod), error: describeError(error) });
        next = Math.min(next, clock.now() + restMs);
      }
    }
    // At the start, pods may be known before their owners are.
    const isSomebodys = (pod: KubeObject): boolean => this.#ownerOf(pod) !== undefined;
    if (!store.list().every(isSomebodys)) next = Math.min(next, clock.now() + unknownMs);
    if (next < this.#dueAt) this.#arm(next);
  }
}

interface PodUseOptions {
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

/** A stale annotation shortens a pod's life by a few seconds, and only after a kill. */
const writeEveryMs = 5_000;

/** When the pods of apparatuses were last used: exactly in memory, and roughly on the pods, for the next process. */
export class PodUse {
  readonly #options: PodUseOptions;
  readonly #uses: PerOwner<Use>;

  constructor(options: PodUseOptions) {
    this.#options = options;
    this.#uses = new PerOwner(options.ownerOf);
  }

  /** The pod is not stopped while the task runs. */
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
      log.debug("cannot record the last use of a pod", {
        object: describeObject(object),
        error: describeError(error),
      });
    });
  }
}
