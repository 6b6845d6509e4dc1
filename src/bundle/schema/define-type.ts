import type { FieldDescription, TypeDescription } from "../type-description.ts";

const interfaces = new Set(["IntegrationSharding_v1", "SubSharding_v1"]);

/** Fields of most types of data files. */
export const commonFields: readonly string[] = ["schema: string!", "path: string!", "labels: json", "description"];
export const uniqueNameField = "name: string! unique searchable";

/** Defines a type. Fields are written as in GraphQL, `name: [type]!`; without a type they are strings. */
export function defineType(
  name: string,
  fields: readonly (string | FieldDescription)[],
  more: Partial<TypeDescription> = {},
): TypeDescription {
  return { name, fields: fields.map((one) => (typeof one === "string" ? field(one) : one)), ...more };
}

function field(written: string): FieldDescription {
  const match = /^(?<name>\w+)(?:: (?<open>\[)?(?<type>\w+)\]?(?<required>!)?)?(?<marks>(?: \w+)*)$/.exec(written);
  if (!match?.groups) throw new Error(`${JSON.stringify(written)} is not a valid built-in field`);
  const { name = "", open, type: named = "string", required, marks = "" } = match.groups;
  return {
    name,
    type: named,
    ...(open !== undefined && { isList: true }),
    ...(required !== undefined && { isRequired: true }),
    ...(interfaces.has(named) && { isInterface: true }),
    ...(marks.includes("unique") && { isUnique: true }),
    ...(marks.includes("searchable") && { isSearchable: true }),
  };
}

/** A field that lists the data files that refer to the object in their field `subAttr`. */
export function referrersField(name: string, referrer: string, schema: string, subAttr: string): FieldDescription {
  return { name, type: referrer, isList: true, synthetic: { schema, subAttr } };
}
