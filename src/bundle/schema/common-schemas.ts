import type { JsonObject } from "#base";
import { commonSchema, metaschema } from "./define-schema.ts";

const draft = "http://json-schema.org/draft-06/schema";

/** Definitions that many schemas use, by the names that app-interface has for them. */
const definitions: JsonObject = {
  labels: {
    description: "names and values of your own, to choose by",
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
    description: "where a secret is kept; never the secret itself",
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
    description: "an amount as Kubernetes writes it: 100m, 1.5, 512Mi",
    type: ["string", "number"],
    pattern: "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(m|n|u|[kMGTPE]i?|Ki|[eE][+-]?[0-9]+)?$",
  },
  nonEmptyString: { type: "string", minLength: 1 },
  version: { type: "string", pattern: "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$" },
};

/** What every schema may rely on. */
export const commonSchemas: readonly (readonly [string, JsonObject])[] = [
  [commonSchema, { $schema: draft, version: "1.0", type: "object", definitions }],
  [
    metaschema,
    {
      $schema: draft,
      version: "1.0",
      title: "metaschema",
      description: "what a schema of data files must say",
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
];
