import type { GraphQLFieldResolver } from "graphql/type";
import { isJsonList, type JsonObject, type JsonValue } from "#base";
import type { BundleIndex, ResourceObject } from "../references/bundle-index.ts";
import type { FieldDescription } from "../type-description.ts";
import { compileFilter, hasValue, type Predicate } from "./compile-filter.ts";
import type { QueryContext } from "./query-context.ts";
import type { TypeCatalog } from "./type-catalog.ts";

/** Resolves a field of a data file, of an object inside one, or of a resource. */
export type FieldResolver = GraphQLFieldResolver<JsonObject, QueryContext, Readonly<Record<string, JsonValue>>>;

/** The value of a field, with references followed. */
export function resolveData(name: string): FieldResolver {
  const key = name === "schema" ? "$schema" : name;
  // Inherited properties are not data, and a field may be called `constructor`.
  if (key in Object.prototype) {
    return (source, _, context) => context.follow(source, Object.hasOwn(source, key) ? source[key] : null);
  }
  return (source, _, context) => context.follow(source, source[key]);
}

/** The data files that refer to the object; only objects with a path can be referred to. */
export function resolveSynthetic({ schema, subAttr }: NonNullable<FieldDescription["synthetic"]>): FieldResolver {
  return (source, _, context) => {
    context.touch(source);
    const { path } = source;
    return typeof path === "string" ? context.count(context.index.referrers(schema, subAttr, path)) : [];
  };
}

/** The resource that a field names; null if it does not exist. */
export function resolveResourceReference(name: string): FieldResolver {
  return (source, _, context) => {
    context.touch(source);
    const value = source[name];
    if (isJsonList(value)) return context.count(value.map((path) => resourceAt(path, context.index)));
    return context.count(resourceAt(value, context.index));
  };
}

function resourceAt(path: JsonValue | undefined, index: BundleIndex): ResourceObject | null {
  return (typeof path === "string" && index.resources.get(path)) || null;
}

/** All resources, or those of a schema. With a path, a list of one: the resource, or null if it does not exist. */
export const resolveResources: FieldResolver = (_, { path, schema }, context) => {
  if (path) return [resourceAt(path, context.index)];
  const resources = [...context.index.resources.values()];
  return context.count(schema ? resources.filter(({ $schema }) => $schema === schema) : resources);
};

/** The data files of a schema that match the arguments; null arguments are ignored. */
export function resolveDatafiles(schema: string, typeName: string, catalog: TypeCatalog): FieldResolver {
  return (_, { path, filter, ...searched }, context) => {
    const { index } = context;
    const conditions: Predicate[] = Object.entries(searched).flatMap(([name, value]) =>
      value === null ? [] : [hasValue(name, value)],
    );
    if (filter !== undefined && filter !== null) conditions.push(compileFilter(typeName, filter, catalog));
    const candidates = typeof path === "string" ? objectAt(path, schema, index) : index.objectsOf(schema);
    if (conditions.length === 0) return context.count(candidates);
    return context.count(candidates.filter((object) => conditions.every((condition) => condition(object, index))));
  };
}

function objectAt(path: string, schema: string, index: BundleIndex): readonly JsonObject[] {
  const object = index.object(path);
  return object?.["$schema"] === schema ? [object] : [];
}
