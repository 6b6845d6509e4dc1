import { HeldSecrets, type Redact } from "#base";
import type { KubeObject } from "#kube";
import { type TrackedStatus, trackStatus } from "#runtime";
import type { Side } from "../kinds/names.ts";
import type { Pair } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { CouplingEntry } from "../kinds/shared-status.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { FreshStore } from "./fresh-store.ts";

/** A plug that is looked at, and what is known of it. */
export interface PlugAttempt {
  readonly key: string;
  readonly plug: Plug;
  readonly memory: PlugMemory;
  readonly status: TrackedStatus;
  /** What is secret in this look. */
  readonly held: HeldSecrets;
}

/** A plug that failed, or that waits for an apparatus. */
export interface FailedAttempt {
  readonly object: KubeObject;
  readonly status: TrackedStatus;
  /** Undefined: what failed is reading the object. */
  readonly memory: PlugMemory | undefined;
  /** Whether `created` is done, after which `Coupled` has something to say. */
  readonly isCreated: boolean;
}

/** A plug on its way to its socket. */
export interface CouplingAttempt extends PlugAttempt {
  readonly pair: Pair;
}

/** A write may wait in line behind those of many other plugs; who gave up early would only wait again. */
const timeoutMs = 60_000;

/** What there is to say of a plug or a socket. */
export function statusOf(
  object: KubeObject,
  { client, clock, mayWrite, secrets }: Pick<CouplingDeps, "client" | "clock" | "mayWrite" | "secrets">,
): TrackedStatus {
  const redact = secrets.redactFor(object.metadata.uid ?? "");
  return trackStatus(object, client, { clock, mayWrite, timeoutMs, redact });
}

/**
 * Writes down how far it got, for whoever comes after us. Throws if that is not written, so that nothing is made of which nobody
 * would know. The object may be gone, in spite of its finalizer: the API server looks for finalizers once, and then deletes whatever version
 * there is, also one that has got a finalizer in between.
 */
export async function saveProgress(status: TrackedStatus, objects: FreshStore): Promise<void> {
  await writeStatus(status, objects);
  if (status.isGone) throw new Error("the object no longer exists");
  if (status.isWithheld) throw new Error("another replica leads now, so the status was not written");
}

/** Writes the status. What is gone is not noted: it would seem to be there. */
export async function writeStatus(status: TrackedStatus, objects: FreshStore): Promise<void> {
  await status.write();
  if (!status.isGone) objects.note(status.object);
}

type PlugStatus = NonNullable<Plug["status"]>;
export type Pairing = NonNullable<PlugStatus["pairing"]>;

/** What a plug's status remembers of the integration, and what is to be remembered with the next write. */
export class PlugMemory {
  readonly #status: TrackedStatus;
  #pairing: Pairing | undefined;
  #inventory: readonly CouplingEntry[];
  /** Of what the last integration that came to its end used. */
  readonly inputsHash: string | undefined;
  readonly resultHash: string | undefined;
  #bindingName: string | undefined;

  /** `known`: the pairing of a plug whose status has none, because it was not we who coupled it. */
  constructor(plug: Plug, status: TrackedStatus, known?: Pairing) {
    this.#status = status;
    this.#pairing = plug.status?.pairing ?? known;
    this.#inventory = plug.status?.inventory ?? [];
    this.inputsHash = plug.status?.inputsHash;
    this.resultHash = plug.status?.resultHash;
    this.#bindingName = plug.status?.binding?.name;
  }

  get pairing(): Pairing | undefined {
    return this.#pairing;
  }

  set pairing(pairing: Pairing | undefined) {
    this.#pairing = pairing;
    this.#status.set({ pairing });
  }

  /** Every object that was made, or is about to be. */
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

  /** A half of the stage is finished; a retry begins with the other one. */
  finish(side: Side): void {
    if (this.#pairing) this.pairing = { ...this.#pairing, done: [...this.#pairing.done, side] };
  }

  /** Whether there is a result that the apparatus of a side has answered. */
  noteAnswered(side: Side, isAnswered: boolean): void {
    if (!this.#pairing) return;
    const { answered = [], ...rest } = this.#pairing;
    if (answered.includes(side) === isAnswered) return;
    const now = isAnswered ? [...answered, side] : answered.filter((each) => each !== side);
    this.pairing = now.length === 0 ? rest : { ...rest, answered: now };
  }

  /** Nothing is left of the pairing. */
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

/** Both halves of `coupled` have once been done. */
export function isCoupled(pairing: Pairing | undefined): boolean {
  return pairing?.stage === "updated" || (pairing?.stage === "coupled" && isFinished(pairing));
}

/** Both halves of its stage are done. */
export function isFinished({ done }: Pairing): boolean {
  return done.includes("plug") && done.includes("socket");
}

/** What was secret in the looks at each plug, by its uid, and is masked in what its tenant can read. */
export class AttemptSecrets {
  readonly #held = new Map<string, HeldSecrets>();

  of(uid: string): HeldSecrets {
    const known = this.#held.get(uid);
    if (known) return known;
    const held = new HeldSecrets();
    this.#held.set(uid, held);
    return held;
  }

  /** For texts about a plug or socket; by the time they are said, more may be held. Of whom nothing is held, nothing is masked. */
  redactFor(uid: string): Redact {
    return (text) => this.#held.get(uid)?.redact(text) ?? text;
  }

  forget(uid: string): void {
    this.#held.delete(uid);
  }
}
