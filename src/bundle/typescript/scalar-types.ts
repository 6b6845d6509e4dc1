/** Declarations that the generated modules need. */
export const scalarDeclarations: Readonly<Record<string, string>> = {
  JsonText: "/** A string that holds JSON. */\nexport type JsonText = string;\n",
  JsonValue:
    "export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };\n",
};

const types: Readonly<Record<string, string>> = {
  String: "string",
  ID: "string",
  Int: "number",
  Float: "number",
  Boolean: "boolean",
};

/** The type of a scalar in an answer, where JSON is a string. */
export function scalarType(name: string): string {
  return name === "JSON" ? "JsonText" : (types[name] ?? "string");
}

/** The type of a scalar in a variable. */
export function inputType(name: string): string {
  return name === "JSON" ? "JsonValue" : (types[name] ?? "string");
}
