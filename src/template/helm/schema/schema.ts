import type { Draft } from "./draft.ts";
import type { Validation } from "./validation.ts";

/** One thing that a schema asks of a value. Adds to the failures of the validation. */
export type Check = (validation: Validation) => void;

/** What is left to `unevaluatedProperties` and `unevaluatedItems`, here or in a schema around this one. */
export interface Leftovers {
  /** Properties: none are left if all are evaluated here. */
  readonly properties: boolean;
  /** Items from this place on; infinite if none are left. */
  readonly itemsFrom: number;
  readonly wantsProperties: boolean;
  readonly wantsItems: boolean;
}

/** A compiled schema. Schemas may contain themselves, so they are filled in after they are made. */
export class Schema {
  readonly draft: Draft;
  /** Accepts everything, or nothing. */
  readonly constant: boolean | undefined;
  /** The schema that has the address by which this one is found. */
  resource: Schema = this;
  isRecursiveAnchor = false;
  dynamicAnchor: string | undefined = undefined;
  /** Of a resource. */
  readonly dynamicAnchors = new Map<string, Schema>();
  /** What is asked first: a value that fails one of these is not looked at further. */
  readonly gates: Check[] = [];
  readonly checks: Check[] = [];
  leaves: Leftovers = { properties: true, itemsFrom: 0, wantsProperties: false, wantsItems: false };

  constructor(draft: Draft, constant?: boolean) {
    this.draft = draft;
    this.constant = constant;
  }
}
