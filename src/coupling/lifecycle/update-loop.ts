import type { Clock } from "#base";
import { describeRef } from "#kube";
import { type CouplingEntry, describeObject, type Pair } from "../kinds/index.ts";
import { entryKey } from "../resources/inventory-entries.ts";
import { listSources } from "../sources/read-sources.ts";

/** Updates for an input that the coupling writes itself usually settle at once; after so many of them, the next waits. */
const updatesAtOnce = 3;
const firstMs = 1_000;
const longestMs = 5 * 60_000;

/** How often the same was done in a row: a plug updated because of its own outputs, or an object repaired. */
export class UpdateLoop {
  readonly #clock: Pick<Clock, "monotonic">;
  #updates = 0;
  #last = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether the next one waits. */
  get isLooping(): boolean {
    return this.#updates > updatesAtOnce;
  }

  /** How long ago the last one started. */
  get quietMs(): number {
    return this.#clock.monotonic() - this.#last;
  }

  /** How long the next one waits. */
  get restMs(): number {
    const over = this.#updates - updatesAtOnce;
    if (over < 0) return 0;
    const pauseMs = Math.min(firstMs * 2 ** Math.min(over, 20), longestMs);
    return Math.max(0, this.#last + pauseMs - this.#clock.monotonic());
  }

  /** An update starts. */
  note(): void {
    this.#updates += 1;
    this.#last = this.#clock.monotonic();
  }

  /** The inputs are unchanged after an update. */
  end(): void {
    this.#updates = 0;
  }
}

/** The inputs of a pairing that it writes itself, worded for messages; empty if there are none. */
export function findOwnInputs(pair: Pair, inventory: readonly CouplingEntry[]): string[] {
  const written = new Set(inventory.map(entryKey));
  return listSources(pair).flatMap((ref) => {
    const { apiVersion, kind, namespace, name, side, field } = ref;
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    if (!written.has(entryKey({ group, kind, namespace, name }))) return [];
    const index = /^spec\.vars\[(\d+)\]$/.exec(field)?.[1];
    const varName = index === undefined ? undefined : pair[side].spec.vars?.[Number(index)]?.name;
    const what = varName === undefined ? field : `var ${varName} (${field})`;
    return [`${what} of ${describeObject(pair[side])} reads ${describeRef(ref)}, which this coupling writes`];
  });
}
