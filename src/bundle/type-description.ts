import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** One type of the GraphQL schema, as in a description file. `Query` is the root. */
export interface TypeDescription {
  readonly name: string;
  readonly fields: readonly FieldDescription[];
  /** The JSON schema whose data files are objects of this type. */
  readonly datafile?: string;
  readonly isInterface?: boolean;
  /** The interface that this type implements. */
  readonly interface?: string;
  readonly interfaceResolve?: InterfaceResolve;
}

export interface FieldDescription {
  readonly name: string;
  /** `string`, `int`, `float`, `boolean`, `json`, or the name of a type. */
  readonly type: string;
  /** A list whose elements are never null. */
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  readonly isInterface?: boolean;
  /** No two data files of this type have the same value here. */
  readonly isUnique?: boolean;
  /** No two items of one list have the same values in all context-unique fields. */
  readonly isContextUnique?: boolean;
  readonly isSearchable?: boolean;
  readonly isResource?: boolean;
  readonly resolveResource?: boolean;
  readonly synthetic?: { readonly schema: string; readonly subAttr: string };
  /** The field of the data that it shows, if the name differs. */
  readonly shows?: string;
  /** Of a field of `Query`: it lists the data files of this schema. */
  readonly datafileSchema?: string;
}

/** Finds the concrete type of an object: by the value of one of its fields, or by its `$schema`. */
export type InterfaceResolve =
  | { readonly strategy: "fieldMap"; readonly field: string; readonly fieldMap: Readonly<Record<string, string>> }
  | { readonly strategy: "schema" };

/** The `$schema` of a description in a bundle file. */
export const descriptionSchema = "/app-interface/graphql-schemas-1.yml";

const scalars = ["string", "int", "float", "boolean", "json"];

/**
 * Parses a description in either form: `{confs: [...]}`, or the bare list. Unknown keys are ignored.
 * It may extend `known` types: a type of the same name, or of the same data files, replaces the known one, except `Query`,
 * whose fields are added.
 */
export function parseTypeDescriptions(
  value: JsonValue,
  where: string,
  known: readonly TypeDescription[] = [],
): readonly TypeDescription[] {
  const confs = isJsonObject(value) ? value["confs"] : value;
  if (!isJsonList(confs)) {
    throw new InputError("expected a list of GraphQL types, or an object with confs", {
      where,
      next: "start with confs: and one entry per type",
    });
  }
  const problems: string[] = [];
  const described = confs.map((conf, index) => parseType(conf, index, problems));
  const types = extend(known, described);
  problems.push(...findInconsistencies(types));
  if (problems.length > 0) {
    const [first = ""] = problems;
    const others = problems.length === 1 ? "" : ` (and ${problems.length - 1} more: ${problems.slice(1).join("; ")})`;
    throw new InputError(`${first}${others}`, { where, next: "fix the GraphQL description" });
  }
  return types;
}

function extend(known: readonly TypeDescription[], described: readonly TypeDescription[]): readonly TypeDescription[] {
  const names = new Set(described.map(({ name }) => name));
  const datafiles = new Set(described.flatMap(({ datafile }) => datafile ?? []));
  const kept = known.filter(
    ({ name, datafile }) => !names.has(name) && !(datafile !== undefined && datafiles.has(datafile)),
  );
  const root = known.find(({ name }) => name === "Query");
  if (!root) return [...kept, ...described];
  return [...kept, ...described.map((type) => (type.name === "Query" ? withFieldsOf(root, type) : type))];
}

function withFieldsOf(known: TypeDescription, type: TypeDescription): TypeDescription {
  const names = new Set(type.fields.map(({ name }) => name));
  return { ...type, fields: [...known.fields.filter(({ name }) => !names.has(name)), ...type.fields] };
}

function parseType(conf: JsonValue, index: number, problems: string[]): TypeDescription {
  const name = isJsonObject(conf) ? conf["name"] : undefined;
  if (!isJsonObject(conf) || typeof name !== "string" || name === "") {
    problems.push(`confs[${index}] has no name`);
    return { name: `confs[${index}]`, fields: [] };
  }
  const fields = conf["fields"];
  if (!isJsonList(fields)) problems.push(`type ${name} has no list of fields`);
  return {
    name,
    fields: (isJsonList(fields) ? fields : []).map((field, at) => parseField(field, `${name}.fields[${at}]`, problems)),
    ...(typeof conf["datafile"] === "string" && { datafile: conf["datafile"] }),
    ...(conf["isInterface"] === true && { isInterface: true }),
    ...(typeof conf["interface"] === "string" && { interface: conf["interface"] }),
    ...parseResolve(name, conf, problems),
  };
}

function parseField(field: JsonValue, where: string, problems: string[]): FieldDescription {
  const [name, type] = isJsonObject(field) ? [field["name"], field["type"]] : [];
  if (!isJsonObject(field) || typeof name !== "string" || typeof type !== "string") {
    problems.push(`${where} needs a name and a type`);
    return { name: where, type: "string" };
  }
  const synthetic = parseSynthetic(field["synthetic"], where, problems);
  return {
    name,
    type,
    ...(field["isList"] === true && { isList: true }),
    ...(field["isRequired"] === true && { isRequired: true }),
    ...(field["isInterface"] === true && { isInterface: true }),
    ...(field["isUnique"] === true && { isUnique: true }),
    ...(field["isContextUnique"] === true && { isContextUnique: true }),
    ...(field["isSearchable"] === true && { isSearchable: true }),
    ...(field["isResource"] === true && { isResource: true }),
    ...(field["resolveResource"] === true && { resolveResource: true }),
    ...(typeof field["datafileSchema"] === "string" && { datafileSchema: field["datafileSchema"] }),
    ...(synthetic && { synthetic }),
    ...(typeof field["shows"] === "string" && { shows: field["shows"] }),
  };
}

function parseSynthetic(
  value: JsonValue | undefined,
  where: string,
  problems: string[],
): FieldDescription["synthetic"] | undefined {
  if (value === undefined || value === null) return undefined;
  const [schema, subAttr] = isJsonObject(value) ? [value["schema"], value["subAttr"]] : [];
  if (typeof schema === "string" && typeof subAttr === "string") return { schema, subAttr };
  problems.push(`${where}: synthetic needs schema and subAttr`);
  return undefined;
}

function parseResolve(type: string, conf: JsonObject, problems: string[]): Pick<TypeDescription, "interfaceResolve"> {
  const resolve = conf["interfaceResolve"];
  if (resolve === undefined || resolve === null) return {};
  const strategy = isJsonObject(resolve) ? resolve["strategy"] : undefined;
  if (isJsonObject(resolve) && strategy === "schema") return { interfaceResolve: { strategy } };
  if (!isJsonObject(resolve) || strategy !== "fieldMap") {
    problems.push(
      `type ${type}: expected interfaceResolve.strategy fieldMap or schema, got ${JSON.stringify(strategy)}`,
    );
    return {};
  }
  const { field, fieldMap } = resolve;
  if (typeof field !== "string" || !isJsonObject(fieldMap)) {
    problems.push(`type ${type}: the strategy fieldMap needs field and fieldMap`);
    return {};
  }
  const types = Object.entries(fieldMap).map(([value, name]) => [value, typeof name === "string" ? name : ""] as const);
  return { interfaceResolve: { strategy, field, fieldMap: Object.fromEntries(types) } };
}

/** Types that are defined twice or not at all. */
function findInconsistencies(types: readonly TypeDescription[]): string[] {
  const names = new Set<string>(scalars);
  const problems: string[] = [];
  for (const { name } of types) {
    if (names.has(name)) problems.push(`type ${name} is defined twice`);
    names.add(name);
  }
  for (const { name, fields, interface: parent, interfaceResolve } of types) {
    const named = fields.map((field) => [`field ${name}.${field.name}`, field.type] as const);
    const members = interfaceResolve?.strategy === "fieldMap" ? Object.values(interfaceResolve.fieldMap) : [];
    const others = [...(parent === undefined ? [] : [parent]), ...members].map(
      (type) => [`type ${name}`, type] as const,
    );
    for (const [user, type] of [...named, ...others]) {
      if (!names.has(type)) problems.push(`${user}: type ${type} is not defined`);
    }
  }
  return problems;
}
