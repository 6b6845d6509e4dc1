import type { Budget, GoValue } from "#golang";
import { type Frame, fail } from "./frame.ts";
import { ScopedNames } from "./scoped-names.ts";

/** The storage of a variable in a frame. */
export interface Slot {
  /** The place of its value; the next place says whether it came out of a container of interfaces. */
  readonly index: number;
  /** It is declared only if an `and` or `or` gets that far. */
  readonly isConditional: boolean;
}

/** The content of a slot whose variable is not declared (yet). */
export const undeclared: GoValue = Object.freeze(Object.create(null));

/** The variables that are visible at a place in a template, and their slots. */
export class Scope {
  #names = new ScopedNames<Slot>();
  readonly #budget: Budget;
  #next = 0;
  /** Slots of the declarations within the `and`s and `or`s being compiled, innermost last. */
  readonly #conditional: Slot[][] = [];

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** How many names are declared. */
  get size(): number {
    return this.#names.size;
  }

  /** The same names and places, to compile something later. Not within an `and` or `or`. */
  copy(): Scope {
    const copy = new Scope(this.#budget);
    copy.#names = this.#names.copy();
    copy.#next = this.#next;
    return copy;
  }

  declare(name: string): Slot {
    this.#budget.step(1 + this.#conditional.length);
    const slot = { index: this.#next, isConditional: this.#conditional.length > 0 };
    this.#next += 2;
    this.#names.declare(name, slot);
    for (const slots of this.#conditional) slots.push(slot);
    return slot;
  }

  /** The slots that a name may mean, newest first; all but the last are conditional. */
  find(name: string): Slot[] {
    const found: Slot[] = [];
    const known = this.#names.of(name);
    for (let at = known.length - 1; at >= 0; at -= 1) {
      found.push(known[at]!);
      if (!known[at]!.isConditional) break;
    }
    this.#budget.step(1 + found.length);
    return found;
  }

  /** Compiles something with a scope of its own. */
  within<T>(compile: () => T): T {
    const names = this.#names.size;
    const next = this.#next;
    const result = compile();
    this.#names.cutTo(names);
    this.#next = next;
    return result;
  }

  /** Compiles something that may be skipped; also gives the slots that it declares, which must be emptied before. */
  conditionally<T>(compile: () => T): { result: T; slots: readonly Slot[] } {
    const slots: Slot[] = [];
    this.#conditional.push(slots);
    const result = compile();
    this.#conditional.pop();
    return { result, slots };
  }
}

/** The slot that a name means right now. */
export function slotAtRunTime(frame: Frame, slots: readonly Slot[], name: string): Slot {
  for (const slot of slots) if (!slot.isConditional || frame.slots[slot.index] !== undeclared) return slot;
  return fail(frame, `undefined variable: ${name}`);
}

/** Sets a variable; `isWrapped` says that the value came out of a container of interfaces. */
export type Store = (frame: Frame, value: GoValue, isWrapped: boolean) => void;

export function storeIn({ index }: Slot): Store {
  return (frame, value, isWrapped) => {
    frame.slots[index] = value;
    frame.slots[index + 1] = isWrapped;
  };
}

export function isWrappedIn(frame: Frame, { index }: Slot): boolean {
  return frame.slots[index + 1] === true;
}
