import type { JsonObject } from "#base";

/** The path of the common definitions; a user's own file of this path must contain them too. */
export const commonSchema = "/common-1.json";
export const metaschema = "/metaschema-1.json";

export interface SchemaParts {
  readonly description: string;
  /** Fields beside `$schema` and `labels`. */
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  /** Allows fields that are not listed. */
  readonly isOpen?: boolean;
  readonly more?: JsonObject;
}

/** The schema of a kind of data file, with the fields `$schema` and `labels`. */
export function datafileSchema(
  path: string,
  { properties, required = [], ...parts }: SchemaParts,
): [string, JsonObject] {
  const description = "the schema of this file";
  return partSchema(path, {
    ...parts,
    properties: {
      $schema: { type: "string", enum: [path], description },
      labels: commonDefinition("labels"),
      ...properties,
    },
    required: ["$schema", ...required],
  });
}

/** A schema that other schemas refer to. */
export function partSchema(path: string, parts: SchemaParts): [string, JsonObject] {
  const { description, properties, required = [], isOpen = false, more } = parts;
  const own = "$schema" in properties ? {} : { $schema: { type: "string", enum: [path] } };
  return [
    path,
    {
      $schema: metaschema,
      version: "1.0",
      type: "object",
      description,
      additionalProperties: isOpen,
      properties: { ...own, ...properties },
      ...(required.length > 0 && { required }),
      ...more,
    },
  ];
}

export function commonDefinition(definition: string): JsonObject {
  return { $ref: `${commonSchema}#/definitions/${definition}` };
}

/** A reference to a data file of one of these schemas. */
export function referenceSchema(description: string, ...schemas: readonly string[]): JsonObject {
  const [only] = schemas;
  const oneOfThem = { type: "object", properties: { $schema: { type: "string", enum: schemas } } };
  return {
    ...commonDefinition("crossref"),
    $schemaRef: schemas.length === 1 && only !== undefined ? only : oneOfThem,
    description,
  };
}

export function textSchema(description: string): JsonObject {
  return { type: "string", description };
}

export function flagSchema(description: string): JsonObject {
  return { type: "boolean", description };
}

export function integerSchema(description: string, minimum?: number): JsonObject {
  return { type: "integer", description, ...(minimum !== undefined && { minimum }) };
}

export function choiceSchema(description: string, ...values: readonly string[]): JsonObject {
  return { type: "string", enum: values, description };
}

export function listSchema(items: JsonObject, description: string): JsonObject {
  return { type: "array", items, description };
}

export function fieldsSchema(properties: JsonObject, required: readonly string[] = [], isOpen = false): JsonObject {
  return { type: "object", additionalProperties: isOpen, properties, ...(required.length > 0 && { required }) };
}
