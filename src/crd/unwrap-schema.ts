import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { JsonValue } from "#base";
import { type SchemaMark, markOf } from "./marks.ts";
import { refusal, type SchemaPath } from "./refusal.ts";

/** A schema without its wrappers, and what the wrappers specify. */
export interface UnwrappedSchema {
  readonly schema: z.core.$ZodType;
  readonly isNullable: boolean;
  readonly defaultValue?: JsonValue;
  readonly description?: string;
  readonly marks: readonly SchemaMark[];
  /** Of the schema and its wrappers, without those that are marks. */
  readonly checks: readonly z.core.$ZodCheck[];
}

export function unwrapSchema(schema: z.core.$ZodType, path: SchemaPath): UnwrappedSchema {
  const layers = layersOf(schema, path);
  const defaultValue = defaultOf(layers, path);
  const description = descriptionOf(layers);
  const checks = layers.flatMap((layer) => layer._zod.def.checks ?? []);
  return {
    schema: layers.at(-1) ?? schema,
    isNullable: layers.some((layer) => layer instanceof z.core.$ZodNullable),
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(description === undefined ? {} : { description }),
    marks: checks.flatMap((check) => markOf(check) ?? []),
    checks: checks.filter((check) => markOf(check) === undefined),
  };
}

/** Outermost first; the last one is not a wrapper. */
function layersOf(schema: z.core.$ZodType, path: SchemaPath): z.core.$ZodType[] {
  const inner = innerOf(schema);
  if (!inner) return [schema];
  if (schema instanceof z.core.$ZodNonOptional && !(inner instanceof z.core.$ZodOptional)) {
    throw refusal(path, "z.nonoptional can only take back .optional()", "leave it out");
  }
  return [schema, ...layersOf(inner, path)];
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const isWrapper =
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNonOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault ||
    schema instanceof z.core.$ZodReadonly;
  return isWrapper ? schema._zod.def.innerType : undefined;
}

/** The outermost description wins. A CustomResourceDefinition cannot mark fields as deprecated, so the text does. */
function descriptionOf(layers: readonly z.core.$ZodType[]): string | undefined {
  const entries = layers.map((layer) => z.globalRegistry.get(layer));
  const text = entries.find((entry) => entry?.description !== undefined)?.description;
  if (!entries.some((entry) => entry?.deprecated)) return text;
  return text === undefined ? "Deprecated." : `Deprecated. ${text}`;
}

function defaultOf(layers: readonly z.core.$ZodType[], path: SchemaPath): JsonValue | undefined {
  const layer = layers.find((each) => each instanceof z.core.$ZodDefault || each instanceof z.core.$ZodPrefault);
  if (!layer) return undefined;
  const { innerType, defaultValue } = layer._zod.def;
  if (defaultValue === null || defaultValue === undefined) {
    throw refusal(path, `the API server ignores a default of ${defaultValue}`, "use .optional() or .nullish() alone");
  }
  if (!isDeepStrictEqual(defaultValue, layer._zod.def.defaultValue)) {
    throw refusal(path, "the default differs each time", "give a constant, or fill the field in when reconciling");
  }
  const parsed = z.safeParse(innerType, defaultValue);
  if (!parsed.success) {
    const problem = parsed.error.issues[0]?.message ?? "it does not parse";
    throw refusal(path, `the default is not valid: ${problem}`, "give one that the schema accepts");
  }
  // The server completes a default with the defaults inside of it, as .prefault() does and .default() does not.
  if (layer instanceof z.core.$ZodDefault && !isDeepStrictEqual(parsed.data, defaultValue)) {
    throw refusal(path, "the API server would complete or prune the default", "use .prefault(), which does so too");
  }
  return asJson(parsed.data, path);
}

function asJson(value: unknown, path: SchemaPath): JsonValue {
  const json: JsonValue = JSON.parse(JSON.stringify(value) ?? "null");
  if (!isDeepStrictEqual(json, value)) {
    throw refusal(path, "the default cannot be written as JSON", "give strings, numbers, booleans, lists and objects");
  }
  return json;
}
