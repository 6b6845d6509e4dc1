import type { JsonObject } from "#base";
import { Budget, type GoValue, Int, isGoObject } from "#golang";
import type { Draft } from "./draft-keywords.ts";
import { type SchemaFailure, someFailure } from "./schema-failure.ts";

/** Checks one keyword and adds to the failures of the validation. */
export type KeywordCheck = (validation: SchemaValidation) => void;

/** The properties and items that this schema leaves to `unevaluatedProperties` and `unevaluatedItems`. */
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
  /** The schema whose URL this one is found by. */
  resource: Schema = this;
  isRecursiveAnchor = false;
  dynamicAnchor: string | undefined = undefined;
  /** Of a resource. */
  readonly dynamicAnchors = new Map<string, Schema>();
  /** Checked first: a value that fails one of these is not checked further. */
  readonly gates: KeywordCheck[] = [];
  readonly checks: KeywordCheck[] = [];
  leaves: Leftovers = { properties: true, itemsFrom: 0, wantsProperties: false, wantsItems: false };

  constructor(draft: Draft, constant?: boolean) {
    this.draft = draft;
    this.constant = constant;
  }
}

/** Gives the keywords of one schema while it is compiled. The types of their values have been checked. */
export interface KeywordContext {
  readonly object: JsonObject;
  readonly draft: Draft;
  /** A whole number. */
  readonly count: (keyword: string) => number | undefined;
  readonly number: (keyword: string) => number | undefined;
  readonly texts: (keyword: string) => readonly string[] | undefined;
  readonly schema: (keyword: string) => Schema | undefined;
  readonly schemas: (keyword: string) => readonly Schema[] | undefined;
  readonly schemaMap: (keyword: string) => ReadonlyMap<string, Schema> | undefined;
  readonly reference: (keyword: string) => Schema | undefined;
  /** A test by a regular expression in Go's syntax. */
  readonly regexp: (pattern: string, keyword: string) => (text: string, budget: Budget) => boolean;
}

export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

/** The JSON type of a value. */
export function jsonType(value: GoValue): JsonType {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  if (value instanceof Int) return "number";
  return Array.isArray(value) ? "array" : "object";
}

/** The properties and items that no keyword has evaluated yet. */
export interface Unevaluated {
  properties: Set<string> | undefined;
  items: Set<number> | undefined;
}

/** The steps of checking one value against one schema, besides those of its keywords. */
const stepsPerSchema = 8;

/** One value against one schema. */
export class SchemaValidation {
  readonly value: GoValue;
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly failures: SchemaFailure[] = [];
  readonly unevaluated: Unevaluated;
  /** Only validity matters, not the failures. */
  readonly isQuick: boolean;
  /** The validation that this one is part of, for the same value or the enclosing one. */
  readonly parent: SchemaValidation | undefined;
  /** Schemas that refer to each other twice take twice as long at every level: work is counted over all of them. */
  readonly budget: Budget;

  constructor(
    schema: Schema,
    value: GoValue,
    path: readonly string[],
    from: Budget | SchemaValidation,
    isQuick = false,
  ) {
    const parent = from instanceof Budget ? undefined : from;
    this.schema = schema;
    this.value = value;
    this.path = path;
    this.budget = from instanceof Budget ? from : from.budget;
    this.parent = parent;
    this.isQuick = isQuick || (parent?.isQuick ?? false);
    const isSameValue = parent !== undefined && parent.path === path;
    this.unevaluated = unevaluatedIn(value, schema, isSameValue && !parent.isEvaluated);
  }

  get isEvaluated(): boolean {
    const { properties, items } = this.unevaluated;
    return !properties?.size && !items?.size;
  }

  /** The failure of the value; `undefined` if it is valid. */
  run(): SchemaFailure | undefined {
    const { schema, failures } = this;
    if (schema.constant !== undefined) return schema.constant ? undefined : this.failure("false schema");
    this.budget.call(stepsPerSchema + schema.gates.length + schema.checks.length);
    if (this.#isCycle()) return this.failure("the schema refers to itself forever");
    for (const gate of schema.gates) {
      gate(this);
      if (failures.length > 0) return failures[0];
    }
    for (const check of schema.checks) {
      check(this);
      if (this.isQuick && failures.length > 0) return failures[0];
    }
    return failures.length > 1
      ? { path: this.path, text: "validation failed", kind: "group", causes: failures }
      : failures[0];
  }

  failure(text: string, causes?: readonly SchemaFailure[]): SchemaFailure {
    return this.isQuick ? someFailure : { path: this.path, text, ...(causes && { causes }) };
  }

  fail(text: string, causes?: readonly SchemaFailure[]): void {
    this.failures.push(this.failure(text, causes));
  }

  add(failure: SchemaFailure | undefined): void {
    if (failure) this.failures.push(failure);
  }

  /** Checks the same value against another schema; what that evaluates counts here, too. */
  self(schema: Schema, isQuick = false): SchemaFailure | undefined {
    const inner = new SchemaValidation(schema, this.value, this.path, this, isQuick);
    const failure = inner.run();
    if (!failure) keepCommon(this.unevaluated, inner.unevaluated);
    return failure;
  }

  /** Checks a part of the value. */
  part(schema: Schema, value: GoValue, token: string): SchemaFailure | undefined {
    return new SchemaValidation(schema, value, [...this.path, token], this).run();
  }

  #isCycle(): boolean {
    for (let outer = this.parent; outer && outer.path === this.path; outer = outer.parent) {
      if (outer.schema === this.schema) return true;
    }
    return false;
  }
}

function unevaluatedIn(value: GoValue, { leaves }: Schema, isAskedFor: boolean): Unevaluated {
  const none = { properties: undefined, items: undefined };
  if (isGoObject(value)) {
    const isWanted = leaves.properties && (isAskedFor || leaves.wantsProperties);
    return isWanted ? { ...none, properties: new Set(Object.keys(value)) } : none;
  }
  if (!Array.isArray(value) || !(isAskedFor || leaves.wantsItems) || leaves.itemsFrom >= value.length) return none;
  const left = Array.from(value.keys()).slice(leaves.itemsFrom);
  return { ...none, items: new Set(left) };
}

function keepCommon(kept: Unevaluated, other: Unevaluated): void {
  for (const name of kept.properties ?? []) if (!other.properties?.has(name)) kept.properties?.delete(name);
  for (const index of kept.items ?? []) if (!other.items?.has(index)) kept.items?.delete(index);
}
