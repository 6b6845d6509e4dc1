import type { FieldDescription, TypeDescription } from "../type-description.ts";

const interfaces = new Set(["IntegrationSharding_v1", "SubSharding_v1"]);

/** What most types of data files have. */
export const commonFields: readonly string[] = ["schema: string!", "path: string!", "labels: json", "description"];
export const uniqueNameField = "name: string! unique searchable";

/** A type whose fields are written as in GraphQL, `name: [type]!`, and are text when they say nothing else. */
export function defineType(
  name: string,
  fields: readonly (string | FieldDescription)[],
  more: Partial<TypeDescription> = {},
): TypeDescription {
  return { name, fields: fields.map((one) => (typeof one === "string" ? field(one) : one)), ...more };
}

function field(written: string): FieldDescription {
  const match = /^(?<name>\w+)(?:: (?<open>\[)?(?<type>\w+)\]?(?<required>!)?)?(?<marks>(?: \w+)*)$/.exec(written);
  if (!match?.groups) throw new Error(`the built-in field ${JSON.stringify(written)} is not written as it should be`);
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

/** Lists those who refer to an object of this type, at that field. */
export function referrersField(name: string, referrer: string, schema: string, subAttr: string): FieldDescription {
  return { name, type: referrer, isList: true, synthetic: { schema, subAttr } };
}
