import {
  assertValidSchema,
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from "graphql/type";
import { InputError, type JsonObject } from "#base";
import type { FieldDescription, TypeDescription } from "../type-description.ts";
import type { QueryContext } from "./query-context.ts";
import {
  resolveData,
  resolveDatafiles,
  resolveResourceReference,
  resolveResources,
  resolveSynthetic,
} from "./resolve-fields.ts";
import { createTypeNamer } from "./resolve-type.ts";
import { TypeCatalog } from "./type-catalog.ts";

/** Values of this type are sent as a string of JSON, as clients of qontract-server expect. */
const jsonScalar = new GraphQLScalarType<unknown, string>({
  name: "JSON",
  description: "Any value, as a string of JSON.",
  coerceOutputValue: (value) => JSON.stringify(value),
});

type Field = GraphQLFieldConfig<JsonObject, QueryContext>;
type NamedType = GraphQLScalarType | Composite;
type Composite = GraphQLObjectType<JsonObject, QueryContext> | GraphQLInterfaceType;

const scalars: ReadonlyMap<string, GraphQLScalarType> = new Map<string, GraphQLScalarType>([
  ["string", GraphQLString],
  ["int", GraphQLInt],
  ["float", GraphQLFloat],
  ["boolean", GraphQLBoolean],
  ["json", jsonScalar],
]);

/** The interface of all types of data files. */
const datafileObject = "DatafileObject_v1";
const resourceType = "Resource_v1";

/** Builds the GraphQL schema of a description. Its resolvers read the data from the context, so that bundles can share it. */
export function buildSchema(types: readonly TypeDescription[]): GraphQLSchema {
  const catalog = new TypeCatalog(types);
  const composites = new Map<string, Composite>();
  for (const type of types) composites.set(type.name, buildType(type, catalog, composites));
  const query = composites.get("Query");
  if (!(query instanceof GraphQLObjectType)) {
    throw new InputError("the GraphQL description has no type Query", {
      next: "add a type Query, whose fields are the queries",
    });
  }
  try {
    const schema = new GraphQLSchema({ query, types: [...composites.values()] });
    assertValidSchema(schema);
    return schema;
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    const problems = cause instanceof Error ? cause.message.replaceAll("\n\n", "; ") : String(cause);
    throw new InputError(`the GraphQL description is not valid: ${problems}`, {
      next: "fix the types it names",
      cause,
    });
  }
}

function buildType(type: TypeDescription, catalog: TypeCatalog, composites: ReadonlyMap<string, Composite>): Composite {
  const { name } = type;
  const fields = (): Record<string, Field> =>
    Object.fromEntries(type.fields.map((field) => [field.name, buildField(field, name, catalog, composites)]));
  const interfaces = (): GraphQLInterfaceType[] => interfacesOf(type, catalog, composites);
  if (type.isInterface !== true) return new GraphQLObjectType<JsonObject, QueryContext>({ name, fields, interfaces });
  return new GraphQLInterfaceType({ name, fields, interfaces, resolveType: createTypeNamer(type, catalog) });
}

function interfacesOf(
  type: TypeDescription,
  catalog: TypeCatalog,
  composites: ReadonlyMap<string, Composite>,
): GraphQLInterfaceType[] {
  const ancestors = catalog.ancestors(type);
  const isDatafile = [type, ...ancestors].some(({ datafile }) => datafile !== undefined);
  const names = new Set(ancestors.map(({ name }) => name));
  if (isDatafile && type.name !== datafileObject) names.add(datafileObject);
  return [...names].flatMap((name) => {
    const composite = composites.get(name);
    return composite instanceof GraphQLInterfaceType ? [composite] : [];
  });
}

function buildField(
  field: FieldDescription,
  owner: string,
  catalog: TypeCatalog,
  composites: ReadonlyMap<string, Composite>,
): Field {
  const { name, type, synthetic, datafileSchema, isResource, resolveResource } = field;
  const typeNamed = (typeName: string): NamedType => {
    const found = scalars.get(typeName) ?? composites.get(typeName);
    if (found !== undefined) return found;
    throw new InputError(`field ${owner}.${name}: type ${typeName} is not defined`, {
      next: "fix the GraphQL description",
    });
  };
  const wrapped = (): GraphQLOutputType => wrap(typeNamed(type), field);
  if (datafileSchema !== undefined) {
    return {
      type: wrapped(),
      args: searchArguments(type, catalog),
      resolve: resolveDatafiles(datafileSchema, type, catalog),
    };
  }
  if (synthetic !== undefined) return { type: wrapped(), resolve: resolveSynthetic(synthetic) };
  if (isResource === true && type === "string" && resolveResource === true) {
    // Never required, as in qontract-server, from whose schema clients are generated.
    return {
      type: wrap(typeNamed(resourceType), { ...field, isRequired: false }),
      resolve: resolveResourceReference(name),
    };
  }
  if (isResource === true && type === resourceType) {
    return {
      type: wrapped(),
      args: { path: { type: GraphQLString }, schema: { type: GraphQLString } },
      resolve: resolveResources,
    };
  }
  return { type: wrapped(), resolve: resolveData(field.shows ?? name) };
}

function wrap(type: NamedType, { isList, isRequired }: Partial<FieldDescription>): GraphQLOutputType {
  const listed = isList === true ? new GraphQLList(new GraphQLNonNull(type)) : type;
  return isRequired === true ? new GraphQLNonNull(listed) : listed;
}

function searchArguments(typeName: string, catalog: TypeCatalog): GraphQLFieldConfigArgumentMap {
  const searchable = catalog.type(typeName)?.fields.filter(({ isSearchable }) => isSearchable === true) ?? [];
  return {
    ...Object.fromEntries(searchable.map(({ name }) => [name, { type: GraphQLString }])),
    path: { type: GraphQLString },
    filter: { type: jsonScalar },
  };
}
