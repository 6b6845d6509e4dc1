import type { SelectionSetNode } from "graphql/language";
import {
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
} from "graphql/type";
import { collectFields, type Fragments, type SelectedField } from "./collect-fields.ts";

/** Lists do not contain objects without fields, fields may. */
type Container = "field" | "item";

const emptyObject = "Record<string, never>";

/** The TypeScript type of the data of an operation. */
export function typeOfRoot(root: GraphQLObjectType, selectionSet: SelectionSetNode, fragments: Fragments): string {
  return writeObject([root], [selectionSet], fragments, "");
}

/** The members of the union type of a value. */
function typesOf(
  type: GraphQLOutputType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
  container: Container,
  indent: string,
): readonly string[] {
  if (!isNonNullType(type)) return [...presentTypes(type, selectionSets, fragments, container, indent), "null"];
  return presentTypes(type.ofType, selectionSets, fragments, container, indent);
}

function presentTypes(
  type: GraphQLOutputType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
  container: Container,
  indent: string,
): readonly string[] {
  if (isListType(type)) {
    const items = typesOf(type.ofType, selectionSets, fragments, "item", indent);
    return [`readonly ${items.length > 1 ? `(${items.join(" | ")})` : items.join("")}[]`];
  }
  if (!isCompositeType(type)) return [scalarType(String(type))];
  const shapes = shapesOf(type, selectionSets, fragments, indent);
  const kept = container === "item" ? shapes.filter((shape) => shape !== emptyObject) : shapes;
  return kept.length === 0 ? ["never"] : kept;
}

/** One type for each set of concrete types with the same fields. */
function shapesOf(
  type: GraphQLCompositeType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
  indent: string,
): readonly string[] {
  const concrete = isAbstractType(type) ? fragments.schema.getPossibleTypes(type) : [type];
  const alike = Map.groupBy(concrete, (each) => writeObject([each], selectionSets, fragments, indent, "anonymous"));
  return Array.from(alike.values(), (types) => writeObject(types, selectionSets, fragments, indent));
}

/** The object type for these concrete types, which have the same fields. */
function writeObject(
  types: readonly GraphQLObjectType[],
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
  indent: string,
  typename: "named" | "anonymous" = "named",
): string {
  const [type] = types;
  const fields = type === undefined ? [] : [...collectFields(type, selectionSets, fragments)];
  if (type === undefined || fields.length === 0) return emptyObject;
  const names = typename === "named" ? types.map(({ name }) => JSON.stringify(name)) : ["string"];
  const lines = fields.map(([responseName, field]) => {
    const members = field.name === "__typename" ? names : typesOfField(type, field, fragments, `${indent}  `);
    return `${indent}  readonly ${responseName}${field.isOptional ? "?" : ""}: ${members.join(" | ")};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function typesOfField(
  type: GraphQLObjectType,
  { name, selectionSets }: SelectedField,
  fragments: Fragments,
  indent: string,
): readonly string[] {
  const field = fragments.schema.getField(type, name);
  return field === undefined ? ["never"] : typesOf(field.type, selectionSets, fragments, "field", indent);
}

/** Declarations that the generated modules need. */
export const scalarDeclarations: Readonly<Record<string, string>> = {
  JsonText: "/** A string that holds JSON. */\nexport type JsonText = string;\n",
  JsonInput:
    "/** JSON, as a variable. */\nexport type JsonInput = null | boolean | number | string | readonly JsonInput[] | { readonly [key: string]: JsonInput };\n",
};

const types: Readonly<Record<string, string>> = {
  String: "string",
  ID: "string",
  Int: "number",
  Float: "number",
  Boolean: "boolean",
};

/** The type of a scalar in an answer, where JSON is a string. */
function scalarType(name: string): string {
  return name === "JSON" ? "JsonText" : (types[name] ?? "string");
}

/** The type of a scalar in a variable. */
export function inputType(name: string): string {
  return name === "JSON" ? "JsonInput" : (types[name] ?? "string");
}
