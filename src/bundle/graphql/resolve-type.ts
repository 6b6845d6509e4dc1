import { GraphQLError } from "graphql/error";
import { InputError, isJsonObject, type JsonValue } from "#base";
import type { TypeDescription } from "../type-description.ts";
import type { TypeCatalog } from "./type-catalog.ts";

/** Names the concrete type of an object in a field of an interface type. Throws if it has none. */
export type TypeNamer = (object: JsonValue) => string;

export function createTypeNamer(type: TypeDescription, catalog: TypeCatalog): TypeNamer {
  const { name, interfaceResolve } = type;
  if (interfaceResolve === undefined) {
    throw new InputError(`interface ${name} has no interfaceResolve`, {
      next: "add interfaceResolve with the strategy fieldMap or schema to the GraphQL description",
    });
  }
  return interfaceResolve.strategy === "fieldMap"
    ? byField(name, interfaceResolve.field, new Map(Object.entries(interfaceResolve.fieldMap)))
    : bySchema(name, catalog);
}

function byField(interfaceName: string, field: string, members: ReadonlyMap<string, string>): TypeNamer {
  return (object) => {
    const value = isJsonObject(object) && Object.hasOwn(object, field) ? object[field] : undefined;
    const member =
      value === undefined ? undefined : members.get(typeof value === "string" ? value : JSON.stringify(value));
    if (member !== undefined) return member;
    const got = value === undefined ? "nothing" : JSON.stringify(value);
    throw new GraphQLError(
      `not a valid ${interfaceName}: expected ${field} to be one of ${[...members.keys()].join(", ")}, got ${got}`,
    );
  };
}

/** The type of a schema can be an interface itself, which is then resolved by a field. */
function bySchema(interfaceName: string, catalog: TypeCatalog): TypeNamer {
  const namers = new Map<string, TypeNamer>();
  return (object) => {
    const schema = isJsonObject(object) ? object["$schema"] : undefined;
    if (typeof schema !== "string") {
      throw new GraphQLError(
        `not a valid ${interfaceName}: expected a reference to a data file, got an object without $schema`,
      );
    }
    let namer = namers.get(schema);
    if (namer === undefined) {
      namer = namerOfSchema(schema, interfaceName, catalog);
      namers.set(schema, namer);
    }
    return namer(object);
  };
}

function namerOfSchema(schema: string, interfaceName: string, catalog: TypeCatalog): TypeNamer {
  const type = catalog.typeOf(schema);
  if (type?.isInterface !== true) {
    return () => {
      if (type !== undefined) return type.name;
      throw new GraphQLError(`not a valid ${interfaceName}: no type is defined for ${schema}`);
    };
  }
  if (type.interfaceResolve?.strategy === "fieldMap") return createTypeNamer(type, catalog);
  return () => {
    throw new GraphQLError(
      `interface ${type.name}, the type of ${schema}, needs an interfaceResolve with the strategy fieldMap`,
    );
  };
}
