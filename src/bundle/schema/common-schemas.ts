import type { JsonObject } from "#base";
import { descriptionSchema } from "../type-description.ts";
import {
  commonSchema,
  fieldsSchema,
  flagSchema,
  listSchema,
  metaschema,
  partSchema,
  textSchema,
} from "./define-schema.ts";

const draft = "http://json-schema.org/draft-06/schema";

/** Definitions that many schemas use, by the names that app-interface has for them. */
const definitions: JsonObject = {
  labels: {
    description: "names and values of your own, to select by",
    type: "object",
    additionalProperties: { type: "string" },
  },
  crossref: {
    description: "another data file, by its path",
    type: "object",
    additionalProperties: false,
    properties: { $ref: { type: "string", pattern: "^/" } },
    required: ["$ref"],
  },
  resourceref: { description: "a file below resources/, by its path", type: "string", pattern: "^/(?:[^/]+/)*[^/]+$" },
  vaultSecret: {
    description: "the location of a secret, never the secret itself",
    type: "object",
    additionalProperties: false,
    properties: {
      path: { type: "string", description: "path of the secret in the store" },
      field: { type: "string", description: "key within the secret" },
      format: { type: "string", enum: ["plain", "base64"], default: "plain" },
      version: { type: "integer", description: "the newest when absent" },
    },
    required: ["path", "field"],
  },
  k8sResourceRequirementQuantity: {
    description: "a quantity of Kubernetes: 100m, 1.5, 512Mi",
    type: ["string", "number"],
    pattern: "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(m|n|u|[kMGTPE]i?|Ki|[eE][+-]?[0-9]+)?$",
  },
  nonEmptyString: { type: "string", minLength: 1 },
  version: { type: "string", pattern: "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$" },
};

const field = fieldsSchema(
  {
    name: textSchema("name of the field"),
    type: textSchema("string, int, float, boolean, json, or the name of a type"),
    isList: flagSchema("it is a list"),
    isRequired: flagSchema("it is never null"),
    isInterface: flagSchema("its type is an interface"),
    isUnique: flagSchema("no two data files have the same value here"),
    isContextUnique: flagSchema("no two items of a list have the same values in all such fields"),
    isSearchable: flagSchema("data files can be searched by it"),
    isResource: flagSchema("it is the path of a resource"),
    resolveResource: flagSchema("it is resolved to that resource"),
    synthetic: fieldsSchema(
      { schema: textSchema("schema of the files that refer to it"), subAttr: textSchema("field with the reference") },
      ["schema", "subAttr"],
    ),
    datafileSchema: textSchema("it lists the data files of this schema"),
    shows: textSchema("the field of the data that it shows, if the name differs"),
  },
  ["name", "type"],
);

const resolve = {
  ...fieldsSchema(
    {
      strategy: { type: "string", enum: ["fieldMap", "schema"] },
      field: textSchema("the field whose value selects the type"),
      fieldMap: { type: "object", additionalProperties: { type: "string" } },
    },
    ["strategy"],
  ),
  description: "how the concrete type of an object is found",
};

const type = fieldsSchema(
  {
    name: textSchema("name of the type"),
    fields: listSchema(field, "its fields"),
    datafile: textSchema("schema of the data files that are of this type"),
    isInterface: flagSchema("it is an interface"),
    interface: textSchema("the interface it implements"),
    interfaceResolve: resolve,
  },
  ["name", "fields"],
);

/** Schemas that other schemas use, and the schema of a GraphQL description. */
export const commonSchemas: readonly (readonly [string, JsonObject])[] = [
  [commonSchema, { $schema: draft, version: "1.0", type: "object", definitions }],
  [
    metaschema,
    {
      $schema: draft,
      version: "1.0",
      title: "metaschema",
      description: "required content of a schema of data files",
      type: "object",
      properties: {
        $schema: { type: "string", enum: [metaschema] },
        version: { $ref: `${commonSchema}#/definitions/version` },
        title: { type: "string" },
        description: { type: "string" },
        properties: { type: "object", required: ["$schema"] },
        additionalProperties: { type: "boolean" },
      },
      required: ["$schema", "version", "properties"],
    },
  ],
  partSchema(descriptionSchema, {
    description: "The GraphQL types of data files.",
    properties: { confs: listSchema(type, "the types") },
  }),
];
