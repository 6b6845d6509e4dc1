import type { Redact } from "#base";
import type { KubeObject } from "#kube";
import { type FreshStore, type TrackedStatus, trackStatus } from "#runtime";
import type { CouplingEntry, Pair, Plug, Side, WorkloadEntry } from "../kinds/index.ts";
import { byUid, type CouplingDeps } from "./coupling-deps.ts";
import type { PlugSession } from "./plug-session.ts";

/** One reconciliation of a plug. */
export interface PlugAttempt {
  readonly plug: Plug;
  readonly session: PlugSession;
  readonly memory: PlugMemory;
  readonly status: TrackedStatus;
}

/** An attempt that failed, or that waits for an apparatus. */
export interface FailedAttempt {
  readonly object: KubeObject;
  readonly session: PlugSession;
  readonly status: TrackedStatus;
  /** Undefined: the object itself is not valid. */
  readonly memory: PlugMemory | undefined;
  /** Whether `created` is done; before that, there is no `Coupled`. */
  readonly isCreated: boolean;
}

/** An attempt to couple a plug to its socket, or to update it. */
export interface CouplingAttempt extends PlugAttempt {
  readonly pair: Pair;
}

/** A write may queue behind those of many other plugs; after an early timeout it would only queue again. */
const timeoutMs = 60_000;

/** Collects the status of a plug or a socket, with its secrets masked. */
export function statusOf(
  object: KubeObject,
  redact: Redact,
  { client, clock, cluster: { mayWrite } }: Pick<CouplingDeps, "client" | "clock" | "cluster">,
): TrackedStatus {
  return trackStatus(object, client, { clock, mayWrite, timeoutMs, redact });
}

/**
 * Writes the progress, for the next process. Throws if it is not written, so that no unknown object is created. The object may
 * be deleted in spite of its finalizer: the API server checks finalizers once, and then deletes whatever version is current, even
 * one that got a finalizer in between.
 */
export async function saveProgress(status: TrackedStatus, objects: FreshStore): Promise<void> {
  await writeStatus(status, objects);
  if (status.isGone) throw new Error("the object no longer exists");
  if (status.isWithheld) throw new Error("another replica leads now, so the status was not written");
}

/** Writes the status. A deleted object is not recorded, as it would seem to exist. */
export async function writeStatus(status: TrackedStatus, objects: FreshStore): Promise<void> {
  await status.write();
  if (!status.isGone) objects.note(status.object);
}

type PlugStatus = NonNullable<Plug["status"]>;
export type Pairing = NonNullable<PlugStatus["pairing"]>;

/** What a plug's status remembers of its coupling, and what the next write will save. */
export class PlugMemory {
  readonly #status: TrackedStatus;
  #pairing: Pairing | undefined;
  #inventory: readonly CouplingEntry[];
  /** Of the last completed coupling. */
  readonly inputsHash: string | undefined;
  readonly resultHash: string | undefined;
  #bindingName: string | undefined;
  #workloads: readonly WorkloadEntry[];

  /** `known`: the pairing of a plug that integration-operator coupled, whose status has none. */
  constructor(plug: Plug, status: TrackedStatus, known?: Pairing) {
    this.#status = status;
    this.#pairing = plug.status?.pairing ?? known;
    this.#inventory = plug.status?.inventory ?? [];
    this.inputsHash = plug.status?.inputsHash;
    this.resultHash = plug.status?.resultHash;
    this.#bindingName = plug.status?.binding?.name;
    this.#workloads = plug.status?.workloads ?? [];
  }

  get pairing(): Pairing | undefined {
    return this.#pairing;
  }

  set pairing(pairing: Pairing | undefined) {
    this.#pairing = pairing;
    this.#status.set({ pairing });
  }

  /** Every object that was created, or is about to be. */
  get inventory(): readonly CouplingEntry[] {
    return this.#inventory;
  }

  set inventory(inventory: readonly CouplingEntry[]) {
    this.#inventory = inventory;
    this.#status.set({ inventory: inventory.length === 0 ? undefined : inventory });
  }

  /** The Secret with the results. */
  get bindingName(): string | undefined {
    return this.#bindingName;
  }

  set bindingName(name: string | undefined) {
    this.#bindingName = name;
    this.#status.set({ binding: name === undefined ? undefined : { name } });
  }

  /** The workloads that have the binding, or are about to get it. */
  get workloads(): readonly WorkloadEntry[] {
    return this.#workloads;
  }

  set workloads(workloads: readonly WorkloadEntry[]) {
    this.#workloads = workloads;
    this.#status.set({ workloads: workloads.length === 0 ? undefined : workloads });
  }

  /** A half of the stage is finished; a retry starts with the other one. */
  finish(side: Side): void {
    if (this.#pairing) this.pairing = { ...this.#pairing, done: [...this.#pairing.done, side] };
  }

  /** Records whether the apparatus of a side has answered with a result. */
  noteAnswered(side: Side, isAnswered: boolean): void {
    if (!this.#pairing) return;
    const { answered = [], ...rest } = this.#pairing;
    if (answered.includes(side) === isAnswered) return;
    const now = isAnswered ? [...answered, side] : answered.filter((each) => each !== side);
    this.pairing = now.length === 0 ? rest : { ...rest, answered: now };
  }

  /** Removes everything that belongs to the pairing. */
  forgetPairing(): void {
    this.pairing = undefined;
    this.bindingName = undefined;
    this.#status.set({
      inputsHash: undefined,
      resultHash: undefined,
      coupledResult: undefined,
      coupledSocket: undefined,
      polled: undefined,
    });
  }
}

/** Whether both halves of `coupled` have been done. */
export function isCoupled(pairing: Pairing | undefined): boolean {
  return pairing?.stage === "updated" || (pairing?.stage === "coupled" && isFinished(pairing));
}

/** Whether both halves of its stage are done. */
export function isFinished({ done }: Pairing): boolean {
  return done.includes("plug") && done.includes("socket");
}

/** The socket of a pairing, if it still exists: found by uid, because its name may belong to another socket now. */
export function socketOfPairing({ socket }: Pairing, deps: Pick<CouplingDeps, "cluster">): KubeObject | undefined {
  return deps.cluster.sockets.byIndex(byUid, socket.uid)[0];
}
