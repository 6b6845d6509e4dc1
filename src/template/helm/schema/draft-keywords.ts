import { isJsonList, isJsonObject, type JsonValue } from "#base";
import { equalityKey } from "./compare-json.ts";

/** A version of JSON Schema: 4, 6, 7, 2019 (2019-09) or 2020 (2020-12). */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

/** The draft of a schema without `$schema`. */
export const latestDraft: Draft = 2020;

const drafts = new Map<string, Draft>([
  ["json-schema.org/schema", latestDraft],
  ["json-schema.org/draft/2020-12/schema", 2020],
  ["json-schema.org/draft/2019-09/schema", 2019],
  ["json-schema.org/draft-07/schema", 7],
  ["json-schema.org/draft-06/schema", 6],
  ["json-schema.org/draft-04/schema", 4],
]);

/** The draft that the value of `$schema` names; `undefined` if it is none of these. */
export function draftOf(url: string): Draft | undefined {
  return drafts.get(url.replace(/^https?:\/\//, "").replace(/#$/, ""));
}

/** The keyword that gives a schema its address. */
export function idKeyword(draft: Draft): "id" | "$id" {
  return draft === 4 ? "id" : "$id";
}

/** What a keyword's value should be, if it is something else. Schemas inside it are not checked. */
type Fault = (value: JsonValue, draft: Draft, keyword: string) => string | undefined;

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** The type of a keyword's value. Those with schemas in them define where these are. */
export type Shape =
  | "schema"
  | "schemas"
  | "schemaOrSchemas"
  | "schemaMap"
  | "dependencies"
  | "textsMap"
  | "flagMap"
  | "texts"
  | "text"
  | "address"
  | "anchor"
  | "number"
  | "positive"
  | "count"
  | "flag"
  | "list"
  | "choices"
  | "types";

const faults: Readonly<Record<Shape, Fault>> = {
  schema: (value, draft, keyword) =>
    isJsonObject(value) || (mayBeFlag(keyword, draft) && typeof value === "boolean") ? undefined : "a schema",
  schemas: (value) => (isJsonList(value) && value.length > 0 ? undefined : "a list of at least one schema"),
  schemaOrSchemas: (value, draft, keyword) => {
    const fault = isJsonList(value) ? faults.schemas(value, draft, keyword) : faults.schema(value, draft, keyword);
    return fault && "a schema, or a list of schemas";
  },
  schemaMap: (value) => (isJsonObject(value) ? undefined : "a map of schemas"),
  dependencies: (value, draft, keyword) => {
    const lists = isJsonObject(value) ? Object.values(value).filter(isJsonList) : [null];
    return lists.some((list) => faults.texts(list, draft, keyword)) ? "a map of schemas or lists of names" : undefined;
  },
  textsMap: (value, draft, keyword) => {
    const isFine = isJsonObject(value) && !Object.values(value).some((list) => faults.texts(list, draft, keyword));
    return isFine ? undefined : "a map of lists of names";
  },
  flagMap: (value) => {
    const isFine = isJsonObject(value) && Object.values(value).every((item) => typeof item === "boolean");
    return isFine ? undefined : "a map of booleans";
  },
  texts: (value, draft) => {
    const areTexts = isJsonList(value) && value.every((item) => typeof item === "string");
    const isFine = areTexts && new Set(value).size === value.length && (draft > 4 || value.length > 0);
    return isFine ? undefined : "a list of names without duplicates";
  },
  text: (value) => (typeof value === "string" ? undefined : "text"),
  address: (value) => (typeof value === "string" && /^[^#]*#?$/.test(value) ? undefined : "a URL without #"),
  anchor: (value, draft) => {
    const pattern = draft === 2019 ? /^[A-Za-z][-A-Za-z0-9.:_]*$/ : /^[A-Za-z_][-A-Za-z0-9._]*$/;
    return typeof value === "string" && pattern.test(value) ? undefined : "a name";
  },
  number: (value) => (typeof value === "number" ? undefined : "a number"),
  positive: (value) => (typeof value === "number" && value > 0 ? undefined : "a number above 0"),
  count: (value) => {
    return typeof value === "number" && Number.isInteger(value) && value >= 0 ? undefined : "an integer of at least 0";
  },
  flag: (value) => (typeof value === "boolean" ? undefined : "true or false"),
  list: (value) => (isJsonList(value) ? undefined : "a list"),
  choices: (value, draft) => {
    return isJsonList(value) && (draft > 7 || isDistinct(value))
      ? undefined
      : "a list of at least one value, without duplicates";
  },
  types: (value) => {
    const types = isJsonList(value) ? value : [value];
    const isFine = isDistinct(types) && types.every((type) => typeof type === "string" && typeNames.has(type));
    return isFine ? undefined : `a type or a list of types without duplicates: ${[...typeNames].join(", ")}`;
  },
};

/** What a keyword's value should be, if it is something else. */
export function shapeFault(keyword: string, shape: Shape, value: JsonValue, draft: Draft): string | undefined {
  return faults[shape](value, draft, keyword);
}

/** Whether `true` and `false` are schemas there: everywhere but in draft 4. */
export function mayBeFlag(keyword: string, draft: Draft): boolean {
  return draft > 4 || keyword === "additionalProperties" || keyword === "additionalItems";
}

function isDistinct(values: readonly JsonValue[]): boolean {
  return values.length > 0 && new Set(values.map(equalityKey)).size === values.length;
}

interface Keyword {
  readonly name: string;
  readonly shape: Shape;
  readonly since: Draft;
  readonly until: Draft;
}

function keywords(shape: Shape, since: Draft, names: string, until: Draft = 2020): Keyword[] {
  return names.split(" ").map((name) => ({ name, shape, since, until }));
}

/** The keywords of each draft, from the drafts' own schemas. */
const table: readonly Keyword[] = [
  ...keywords("schema", 4, "not additionalProperties"),
  ...keywords("schema", 4, "additionalItems", 2019),
  ...keywords("schema", 6, "contains propertyNames"),
  ...keywords("schema", 7, "if then else"),
  ...keywords("schema", 2019, "unevaluatedItems unevaluatedProperties contentSchema"),
  ...keywords("schemaOrSchemas", 4, "items", 2019),
  ...keywords("schema", 2020, "items"),
  ...keywords("schemas", 4, "allOf anyOf oneOf"),
  ...keywords("schemas", 2020, "prefixItems"),
  ...keywords("schemaMap", 4, "definitions properties patternProperties"),
  ...keywords("schemaMap", 2019, "$defs dependentSchemas"),
  ...keywords("dependencies", 4, "dependencies"),
  ...keywords("text", 4, "$schema $ref title description format"),
  ...keywords("text", 4, "id", 4),
  ...keywords("text", 6, "$id", 7),
  ...keywords("address", 2019, "$id"),
  ...keywords("flagMap", 2019, "$vocabulary"),
  ...keywords("text", 7, "$comment contentMediaType contentEncoding"),
  ...keywords("text", 2019, "$recursiveRef"),
  ...keywords("text", 2020, "$dynamicRef"),
  ...keywords("anchor", 2019, "$anchor"),
  ...keywords("anchor", 2020, "$dynamicAnchor $recursiveAnchor"),
  ...keywords("text", 4, "pattern"),
  ...keywords("positive", 4, "multipleOf"),
  ...keywords("number", 4, "maximum minimum"),
  ...keywords("flag", 4, "exclusiveMaximum exclusiveMinimum", 4),
  ...keywords("number", 6, "exclusiveMaximum exclusiveMinimum"),
  ...keywords("count", 4, "maxLength minLength maxItems minItems maxProperties minProperties"),
  ...keywords("count", 2019, "maxContains minContains"),
  ...keywords("flag", 4, "uniqueItems"),
  ...keywords("flag", 7, "readOnly writeOnly"),
  ...keywords("flag", 2019, "deprecated"),
  ...keywords("flag", 2019, "$recursiveAnchor", 2019),
  ...keywords("texts", 4, "required"),
  ...keywords("textsMap", 2019, "dependentRequired"),
  ...keywords("list", 7, "examples"),
  ...keywords("choices", 4, "enum"),
  ...keywords("types", 4, "type"),
];

const byDraft = new Map<Draft, ReadonlyMap<string, Shape>>();

/** The keywords of a draft with the types of their values. */
export function shapesOf(draft: Draft): ReadonlyMap<string, Shape> {
  const known = byDraft.get(draft);
  if (known) return known;
  const current = table.filter(({ since, until }) => since <= draft && draft <= until);
  const shapes = new Map(current.map(({ name, shape }) => [name, shape]));
  byDraft.set(draft, shapes);
  return shapes;
}
