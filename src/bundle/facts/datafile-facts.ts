import { type FieldPath, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { isReference } from "../references/reference.ts";
import type { SchemaNode, SchemaNodes } from "./schema-node.ts";
import type { DescribedField, DescribedType, DescribedTypes } from "./described-type.ts";

/** The references and unique values of a data file. */
export interface DatafileFacts {
  readonly references: readonly FoundReference[];
  readonly resources: readonly FoundResource[];
  readonly unique: readonly UniqueValue[];
  readonly lists: readonly ContextList[];
}

export interface FoundReference {
  readonly at: FieldPath;
  readonly target: string;
  /** The expected target: the path of its schema, or a schema for its content. */
  readonly expected: JsonValue | undefined;
}

export interface FoundResource {
  readonly at: FieldPath;
  readonly target: string;
}

export interface UniqueValue {
  readonly at: FieldPath;
  readonly type: string;
  readonly field: string;
  readonly value: JsonValue;
}

/** A list whose items must differ in some of their fields. */
export interface ContextList {
  readonly at: FieldPath;
  readonly items: readonly ContextItem[];
}

export type ContextItem =
  | {
      readonly index: number;
      readonly item: JsonObject;
      readonly fields: readonly string[];
      readonly values: JsonObject;
      /** The schema of the item, and the `oneOf` alternative that it matches. */
      readonly schemas: readonly JsonObject[];
    }
  | { readonly index: number; readonly target: string };

const none: DatafileFacts = { references: [], resources: [], unique: [], lists: [] };

/** Walks a data file once, along its schema and its type. Lists below `shortestList` are skipped: one item has no duplicate. */
export function collectFacts(
  content: JsonObject,
  schema: string | undefined,
  schemas: SchemaNodes,
  types: DescribedTypes,
  shortestList = 2,
): DatafileFacts {
  if (schema === undefined) return none;
  const walk = new Walk(shortestList);
  walk.value(content, schemas.root(schema), types.ofSchema(schema), undefined);
  return walk;
}

class Walk implements DatafileFacts {
  readonly references: FoundReference[] = [];
  readonly resources: FoundResource[] = [];
  readonly unique: UniqueValue[] = [];
  readonly lists: ContextList[] = [];
  readonly #at: (string | number)[] = [];
  readonly #shortestList: number;

  constructor(shortestList: number) {
    this.#shortestList = shortestList;
  }

  /** `type` is the type of the object; `field` is the field that holds the value, or the list around it. */
  value(
    value: JsonValue,
    node: SchemaNode | undefined,
    type: DescribedType | undefined,
    field: DescribedField | undefined,
  ): void {
    if (isJsonList(value)) this.#list(value, node, type, field);
    else if (isJsonObject(value)) this.#object(value, node?.choose(value), type?.choose(value), field);
    else this.#leaf(value, node, field);
  }

  #object(
    value: JsonObject,
    node: SchemaNode | undefined,
    type: DescribedType | undefined,
    field: DescribedField | undefined,
  ): void {
    if (isReference(value)) {
      this.#at.push("$ref");
      this.references.push({ at: [...this.#at], target: value.$ref, expected: node?.expectedFile });
      if (field?.uniqueIn !== undefined) this.#noteUnique(field, value.$ref);
      this.#at.pop();
      return;
    }
    for (const key of Object.keys(value)) {
      const child = value[key];
      if (child === undefined || key === "$schema") continue;
      const own = type?.fields.get(key);
      this.#at.push(key);
      this.value(child, node?.field(key), own?.type, own);
      this.#at.pop();
    }
  }

  #list(
    items: readonly JsonValue[],
    node: SchemaNode | undefined,
    type: DescribedType | undefined,
    field: DescribedField | undefined,
  ): void {
    if (items.length >= this.#shortestList) this.#noteList(items, node?.items, type);
    for (const [index, item] of items.entries()) {
      this.#at.push(index);
      this.value(item, node?.items, type, field);
      this.#at.pop();
    }
  }

  #leaf(value: JsonValue, node: SchemaNode | undefined, field: DescribedField | undefined): void {
    if (node?.isResource && typeof value === "string") this.resources.push({ at: [...this.#at], target: value });
    if (field?.uniqueIn !== undefined) this.#noteUnique(field, value);
  }

  #noteUnique({ uniqueIn, name }: DescribedField, value: JsonValue): void {
    if (uniqueIn !== undefined) this.unique.push({ at: [...this.#at], type: uniqueIn, field: name, value });
  }

  #noteList(items: readonly JsonValue[], node: SchemaNode | undefined, type: DescribedType | undefined): void {
    const found = items.flatMap((item, index) => contextItem(item, index, node, type));
    if (found.length >= this.#shortestList) this.lists.push({ at: [...this.#at], items: found });
  }
}

/** Empty for an item without context-unique fields. */
function contextItem(
  item: JsonValue,
  index: number,
  node: SchemaNode | undefined,
  type: DescribedType | undefined,
): ContextItem[] {
  if (isReference(item)) return [{ index, target: item.$ref }];
  if (!type || !isJsonObject(item)) return [];
  const { contextUnique } = type.choose(item);
  const values = contextValues(item, contextUnique);
  if (!values) return [];
  const schemas = node ? [node.schema, node.choose(item).schema] : [];
  return [{ index, item, fields: contextUnique, values, schemas }];
}

/** The values of the context-unique fields that the item has. Lists and objects are left out, references are not. */
export function contextValues(item: JsonObject, fields: readonly string[]): JsonObject | undefined {
  const present = fields.filter((name) => Object.hasOwn(item, name) && isComparable(item[name]));
  if (present.length === 0) return undefined;
  return Object.fromEntries(present.map((name) => [name, item[name] ?? null]));
}

function isComparable(value: JsonValue | undefined): boolean {
  return typeof value !== "object" || value === null || isReference(value);
}
