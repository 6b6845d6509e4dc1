import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { DescribedTypes } from "../facts/described-type.ts";
import { atPointer } from "../facts/schema-node.ts";
import { builtInSchemas } from "../schema/built-in.ts";
import type { TypeDescription } from "../type-description.ts";
import { type BundleFinding, type FindingReason, PathGuesser, type ValidationIssue } from "./bundle-finding.ts";
import { type CompiledSchemas, draft6Path, isValid } from "./compiled-schemas.ts";
import { descriptionPath } from "../source/file-role.ts";
import { compilePattern, draft6Validator } from "./draft-6-ajv.ts";
import { explainErrors } from "./explain-errors.ts";

const knownDrafts = /^https?:\/\/json-schema\.org\/draft-0[3467]\/schema#?$/;

/** Checks the schemas themselves. */
export function checkSchemas(schemas: ReadonlyMap<string, JsonValue>, compiled: CompiledSchemas): BundleFinding[] {
  const guesser = new PathGuesser(schemas);
  return [...schemas].flatMap(([path, schema]) => checkSchema(path, schema, schemas, compiled, guesser));
}

function checkSchema(
  path: string,
  schema: JsonValue,
  schemas: ReadonlyMap<string, JsonValue>,
  compiled: CompiledSchemas,
  guesser: PathGuesser,
): BundleFinding[] {
  const meta = isJsonObject(schema) ? schema["$schema"] : undefined;
  function findings(reason: FindingReason, issues: readonly ValidationIssue[]): BundleFinding[] {
    const about = {
      part: "schemas",
      path,
      kind: "SCHEMA",
      reason,
      ...(typeof meta === "string" && { schema: meta }),
    } as const;
    return issues.map((issue) => ({ ...issue, ...about }));
  }
  if (!isJsonObject(schema) || typeof meta !== "string") {
    const next = "add $schema: /metaschema-1.json";
    return findings("MISSING_SCHEMA_URL", [{ what: "the schema has no $schema", next, at: [] }]);
  }
  if (!schemas.has(meta) && !knownDrafts.test(meta)) {
    const next = guesser.guess(meta);
    return findings("META_SCHEMA_NOT_FOUND", [{ what: `schema ${meta} does not exist`, ...next, at: ["$schema"] }]);
  }
  const isOurs = builtInSchemas.get(path) === schema;
  const structure = [
    ...(isOurs || compiled.isSurelyValid(draft6Path, schema)
      ? []
      : issuesOf(draft6Validator(compiled.ajv), schema, compiled)),
    ...brokenParts(path, schema, schemas, guesser),
  ];
  if (structure.length > 0) return findings("SCHEMA_ERROR", structure);
  // Built-in schemas match the built-in metaschema; tests say so.
  if (isOurs && schemas.get(meta) === builtInSchemas.get(meta)) return [];
  if (compiled.isSurelyValid(meta, schema)) return [];
  const validate = schemas.has(meta) ? compiled.validator(meta) : undefined;
  if (validate instanceof Error || !validate) return [];
  return findings("VALIDATION_ERROR", issuesOf(validate, schema, compiled));
}

function issuesOf(
  validate: Parameters<typeof isValid>[0],
  value: JsonValue,
  compiled: CompiledSchemas,
): ValidationIssue[] {
  const outcome = isValid(validate, value);
  if (outcome instanceof RangeError) return [{ what: "the schema refers to itself without end", at: [] }];
  return outcome ? [] : explainErrors(validate.errors ?? [], value, compiled);
}

/** References to schemas that do not exist, and invalid patterns. */
function brokenParts(
  file: string,
  schema: JsonObject,
  schemas: ReadonlyMap<string, JsonValue>,
  guesser: PathGuesser,
): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const at: (string | number)[] = [];
  function visit(value: JsonValue): void {
    if (isJsonList(value)) {
      for (const [index, item] of value.entries()) step(index, item);
    } else if (isJsonObject(value)) {
      if (typeof value["$ref"] === "string") checkReference(value["$ref"]);
      if (typeof value["pattern"] === "string") checkPattern(value["pattern"]);
      for (const [key, part] of Object.entries(value)) {
        if (key !== "enum" && key !== "const" && key !== "default" && key !== "$schemaRef") step(key, part);
      }
    }
  }
  function step(key: string | number, value: JsonValue): void {
    at.push(key);
    visit(value);
    at.pop();
  }
  function checkReference(reference: string): void {
    const [target = "", pointer = ""] = reference.split("#");
    const found = atPointer(schemas.get(target === "" ? file : target), pointer);
    if (found !== undefined) return;
    const what = `$ref ${reference} does not exist`;
    const next = schemas.has(target) || target === "" ? { next: "add the definition" } : guesser.guess(target);
    issues.push({ what, ...next, at: [...at, "$ref"] });
  }
  function checkPattern(pattern: string): void {
    try {
      compilePattern(pattern);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      issues.push({ what: `pattern is not valid: ${why}`, at: [...at, "pattern"] });
    }
  }
  visit(schema);
  return issues;
}

/** Checks `isUnique` in the GraphQL description. */
export function checkDescription(types: readonly TypeDescription[], nodes: DescribedTypes): BundleFinding[] {
  const findings: BundleFinding[] = [];
  for (const type of types) {
    for (const field of type.fields) {
      if (!field.isUnique) continue;
      const at = [type.name, field.name];
      const add = (reason: FindingReason, what: string, next: string): void => {
        findings.push({
          part: "description",
          path: descriptionPath,
          kind: "SCHEMA",
          reason,
          what,
          next,
          at,
        });
      };
      if (!nodes.named(type.name)?.isTopLevel) {
        const what = `${type.name}.${field.name} has isUnique, but ${type.name} is not the type of data files`;
        add("IS_UNIQUE_ON_NON_TOP_LEVEL_TYPE", what, `add datafile to ${type.name}, or use isContextUnique`);
      }
      if (nodes.named(field.type)) {
        const what = `${type.name}.${field.name} has isUnique, but its type ${field.type} is not a scalar`;
        add("IS_UNIQUE_ON_COMPLEX_FIELD", what, "use isContextUnique, or set isUnique on a scalar field");
      }
    }
  }
  return findings;
}
