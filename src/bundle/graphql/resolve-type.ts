import { GraphQLError } from "graphql/error";
import { InputError, isJsonObject, type JsonValue } from "#base";
import type { TypeDescription } from "../type-description.ts";
import type { TypeCatalog } from "./type-catalog.ts";

/** Names the concrete type of an object whose field promises an interface. Throws where there is none. */
export type TypeNamer = (object: JsonValue) => string;

export function createTypeNamer(type: TypeDescription, catalog: TypeCatalog): TypeNamer {
  const { name, interfaceResolve } = type;
  if (interfaceResolve === undefined) {
    throw new InputError(`the interface ${name} does not say by what its types are told apart`, {
      next: "give it an interfaceResolve in the GraphQL description, with the strategy fieldMap or schema",
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
    const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
    throw new GraphQLError(
      `${field} ${found}, so that it is no ${interfaceName}; it can be ${[...members.keys()].join(", ")}`,
    );
  };
}

/** The type of a schema can be an interface itself, which then tells by a field. */
function bySchema(interfaceName: string, catalog: TypeCatalog): TypeNamer {
  const namers = new Map<string, TypeNamer>();
  return (object) => {
    const schema = isJsonObject(object) ? object["$schema"] : undefined;
    if (typeof schema !== "string") {
      throw new GraphQLError(`an object without $schema is no ${interfaceName}; it must be a reference to a data file`);
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
      throw new GraphQLError(`no type is described for ${schema}, so that it is no ${interfaceName}`);
    };
  }
  if (type.interfaceResolve?.strategy === "fieldMap") return createTypeNamer(type, catalog);
  return () => {
    throw new GraphQLError(`${type.name}, the type of ${schema}, does not say which of its members this is`);
  };
}
