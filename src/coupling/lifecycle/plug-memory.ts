import type { TrackedStatus } from "#runtime";
import type { Side } from "../kinds/names.ts";
import type { Plug } from "../kinds/plug.ts";
import type { InventoryEntry } from "../kinds/shared-status.ts";

type PlugStatus = NonNullable<Plug["status"]>;
export type Pairing = NonNullable<PlugStatus["pairing"]>;

/** What a plug's status remembers of the integration, and what is to be remembered with the next write. */
export class PlugMemory {
  readonly #status: TrackedStatus;
  #pairing: Pairing | undefined;
  #inventory: readonly InventoryEntry[];
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
  get inventory(): readonly InventoryEntry[] {
    return this.#inventory;
  }

  set inventory(inventory: readonly InventoryEntry[]) {
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
