import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type TypeNode,
} from "graphql/language";
import type { GraphQLSchema } from "graphql/type";
import { separateOperations } from "graphql/utilities";
import { InputError } from "#base";
import { type QuerySchema, shareSchema } from "../graphql/query-schema.ts";
import type { TypeDescription } from "../type-description.ts";
import { inputType, scalarDeclarations, typeOfRoot } from "./answer-types.ts";

/**
 * A TypeScript module with a `TypedQuery` for each operation of a document. It has no imports, so that it compiles
 * wherever it is put.
 * @param file named in the module, and in errors
 */
export function generateTypes(document: string, types: readonly TypeDescription[], file: string): string {
  const querySchema = shareSchema(types);
  const { schema } = querySchema;
  const parsed = readDocument(document, querySchema, file);
  const modules = Object.values(separateOperations(parsed)).map((each) => generateOperation(each, schema, file));
  const body = modules.join("\n");
  const declarations = Object.entries(scalarDeclarations).filter(([name]) => new RegExp(`\\b${name}\\b`).test(body));
  return [
    `// Written by \`tenon data query --types\` from ${file}; do not edit.\n`,
    ...declarations.map(([, declaration]) => declaration),
    ...modules,
  ].join("\n");
}

function readDocument(text: string, querySchema: QuerySchema, file: string): DocumentNode {
  const compiled = querySchema.compile(text);
  if ("document" in compiled) return compiled.document;
  const [first, ...others] = compiled.errors;
  const [position] = first?.locations ?? [];
  throw new InputError(`${first?.message}${others.length === 0 ? "" : ` (and ${others.length} more)`}`, {
    where: position === undefined ? file : `${file}:${position.line}:${position.column}`,
    next: "fix the query",
    cause: first,
  });
}

function generateOperation(document: DocumentNode, schema: GraphQLSchema, file: string): string {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return "";
  const fragments = document.definitions.filter(
    (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  const definitions = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const name = upperFirst(operation.name?.value ?? nameOfFile(file));
  const data = typeOfRoot(root, operation.selectionSet, { schema, definitions });
  const lines = print(document)
    .replaceAll(/[\\`]|\$\{/g, "\\$&")
    .replaceAll(/\n(?=.)/g, "\n    ");
  return `export type ${name}Data = ${data};

export type ${name}Variables = ${variablesOf(operation)};

export const ${name[0]?.toLowerCase() ?? ""}${name.slice(1)}Query: {
  readonly document: string;
  readonly types?: { readonly data: ${name}Data; readonly variables: ${name}Variables };
} = {
  document: \`
    ${lines}
  \`,
};
`;
}

function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode): string {
  if (variableDefinitions.length === 0) return "Record<string, never>";
  const lines = variableDefinitions.map(({ variable, type, defaultValue }) => {
    const isRequired = type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined;
    return `  readonly ${variable.name.value}${isRequired ? "" : "?"}: ${typeOfVariable(type)};\n`;
  });
  return `{\n${lines.join("")}}`;
}

function typeOfVariable(type: TypeNode): string {
  if (type.kind !== Kind.NON_NULL_TYPE) return `${typeOfGiven(type)} | null`;
  return typeOfGiven(type.type);
}

function typeOfGiven(type: Exclude<TypeNode, { kind: typeof Kind.NON_NULL_TYPE }>): string {
  return type.kind === Kind.LIST_TYPE ? `readonly (${typeOfVariable(type.type)})[]` : inputType(type.name.value);
}

/** `shard-sources.graphql` is `ShardSources`. */
function nameOfFile(file: string): string {
  const [base = "query"] = (file.split("/").at(-1) ?? "query").split(".");
  const words = base.split(/\W+/).filter((word) => word !== "");
  return words.map(upperFirst).join("") || "Query";
}

function upperFirst(text: string): string {
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
}
