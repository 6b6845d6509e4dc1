import type { Clock, Logger } from "#base";
import { keyOf, type KubeClient, type Reflector, type StoreChange } from "#kube";
import type { ApparatusMetrics } from "../../coupling-metrics.ts";
import { apparatusLabels, describeObject, type Plug, type Socket } from "../../kinds/index.ts";
import { IdlePods, PodUse } from "./idle-pods.ts";
import { OwnPods, ServiceChecks } from "./own-pods.ts";
import { PerOwner } from "./per-owner.ts";
import { specHashOf } from "./pod-objects.ts";
import { nextStep, podRun } from "./pod-state.ts";
import { PodWakeups, type ReadyPod, SharedStarts, startPod, type WaitProgress } from "./start-pod.ts";

interface ReadyPodsOptions {
  readonly client: KubeClient;
  /** Of apparatus pods, with the index `byOwner`. */
  readonly pods: Reflector;
  /** The newest known plug or socket of that kind and key; undefined if there is none, or it is not valid. */
  readonly ownerOf: (kind: string, key: string) => Plug | Socket | undefined;
  /** Whether the apparatus answers. */
  readonly ping: Parameters<typeof startPod>[0]["ping"];
  readonly mayWrite: () => boolean;
  readonly metrics: ApparatusMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The pods of apparatuses with containers: started when they are called, and stopped when they are idle. */
export class ReadyPods implements Disposable {
  readonly #options: ReadyPodsOptions;
  readonly #pods: OwnPods;
  readonly #services: ServiceChecks;
  readonly #use: PodUse;
  readonly #idle: IdlePods;
  readonly #wakeups: PodWakeups;
  readonly #starts = new SharedStarts();
  readonly #ready: PerOwner<ReadyPod>;
  readonly #subscription: Disposable;

  constructor(options: ReadyPodsOptions) {
    this.#options = options;
    const { client, ownerOf, mayWrite, metrics, clock, log } = options;
    const { store } = options.pods;
    const pods = new OwnPods({ client, pods: store, clock, metrics });
    const use = new PodUse({ pods, ownerOf, clock, log, onIdle: () => this.#idle.watch() });
    this.#pods = pods;
    this.#services = new ServiceChecks(pods, clock);
    this.#use = use;
    this.#idle = new IdlePods({ store, pods, use, ownerOf, mayWrite, metrics, clock, log });
    this.#wakeups = new PodWakeups(clock);
    this.#ready = new PerOwner(ownerOf);
    this.#subscription = options.pods.subscribe((change) => this.#onChange(change));
  }

  /** Runs a task with a pod that answers, which is not stopped meanwhile. After a failure, the pod is pinged before the next. */
  async use<Result>(
    object: Plug | Socket,
    task: (pod: ReadyPod) => Promise<Result>,
    progress: WaitProgress,
    signal: AbortSignal,
  ): Promise<Result> {
    const run = async (): Promise<Result> => {
      const pod = await this.#whenReady(object, progress, signal);
      try {
        return await task(pod);
      } catch (error) {
        this.#ready.forget(object.metadata.uid);
        throw error;
      }
    };
    return await this.#use.during(object, run, signal);
  }

  /** Whether the Service of a pod still has its address; cached for a moment. */
  async isCurrent({ service }: ReadyPod, object: Plug | Socket, signal: AbortSignal): Promise<boolean> {
    return await this.#services.isCurrent(service, object, signal);
  }

  forget(ownerUid: string): void {
    this.#ready.forget(ownerUid);
    this.#use.forget(ownerUid);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.#idle[Symbol.dispose]();
  }

  async #whenReady(object: Plug | Socket, progress: WaitProgress, signal: AbortSignal): Promise<ReadyPod> {
    const { uid = "" } = object.metadata;
    const known = this.#ready.find(uid);
    const pod = this.#pods.find(object);
    const isWell = pod && nextStep(pod, specHashOf(object)) === "ask whether it is ready";
    const isSame = known && isWell && podRun(pod) === known.run;
    if (isSame && (await this.isCurrent(known, object, signal))) return known;
    const { ping } = this.#options;
    const deps = { pods: this.#pods, current: () => this.#currentOf(object), ping, pause: this.#wakeups.of(uid) };
    const found = await this.#starts.join(uid, (told, ending) => startPod(deps, told, ending), progress, signal);
    this.#ready.set(object, found);
    return found;
  }

  /** Read again each time: a start for an old spec must not fight over the pod with a start for the new one. */
  #currentOf(object: Plug | Socket): Plug | Socket {
    const found = this.#options.ownerOf(object.kind, keyOf(object));
    if (found && found.metadata.uid === object.metadata.uid) return found;
    throw new Error(`${describeObject(object)} no longer exists`);
  }

  #onChange({ type, object }: StoreChange): void {
    if (type === "deleted") this.#pods.forget(object);
    this.#wakeups.tell(object.metadata.labels?.[apparatusLabels.uid] ?? "");
    this.#idle.watch();
  }
}
