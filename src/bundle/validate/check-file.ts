import { formatFieldPath, InputError, isJsonObject, type JsonObject } from "#base";
import { parseYaml } from "#yaml";
import type { Datafile, FilePart, ResourceFile } from "../bundle.ts";
import { explainErrors } from "./explain-errors.ts";
import type { ValidationIssue, BundleFinding, FindingReason } from "./bundle-finding.ts";
import { checkIntegration, type IntegrationIssue } from "./check-integration.ts";
import type { PathGuesser } from "./path-guesser.ts";
import { isValid, type CompiledSchemas } from "./compiled-schemas.ts";

/** Of more mistakes in one file the first ones are enough. */
const mostComplaints = 20;

export interface SchemaContext {
  readonly book: CompiledSchemas;
  readonly schemaPaths: ReadonlySet<string>;
  readonly schemaGuesser: PathGuesser;
}

/** What is wrong with a data file by itself. */
export function checkDatafile(
  { path, content, written = content, schema }: Datafile,
  context: SchemaContext,
): BundleFinding[] {
  const bySchema = checkContent("data", path, written, schema, context);
  const special = checkIntegration(written, schema);
  if (special.length === 0) return bySchema;
  // What is known to be wrong in particular need not be said in general too.
  const places = new Set(special.map(({ at }) => formatFieldPath(at)));
  return [
    ...bySchema.filter(({ at }) => !places.has(formatFieldPath(at))),
    ...special.map((complaint) => specialFinding(path, complaint, schema)),
  ];
}

function specialFinding(path: string, complaint: IntegrationIssue, schema: string | undefined): BundleFinding {
  const { isError, what, next, at } = complaint;
  const said = { what, at, ...(next !== undefined && { next }) };
  return isError
    ? finding("data", path, "VALIDATION_ERROR", said, schema)
    : { ...said, part: "data", path, kind: "FILE" };
}

/** What is wrong with a resource that says which schema it follows; but most are templates, and no YAML yet. */
export function checkResource({ path, content, schema }: ResourceFile, context: SchemaContext): BundleFinding[] {
  if (schema === undefined) return [];
  try {
    const value = parseYaml(content);
    if (!isJsonObject(value)) return [];
    return checkContent("resources", path, value, schema.startsWith("/") ? schema : `/${schema}`, context);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function checkContent(
  part: FilePart,
  path: string,
  content: JsonObject,
  schema: string | undefined,
  { book, schemaPaths, schemaGuesser }: SchemaContext,
): BundleFinding[] {
  if (schema === undefined) {
    const what = "$schema" in content ? "the field $schema is no text" : "the file has no $schema";
    const next = "say which schema it follows, as $schema: /app-sre/integration-1.yml";
    return [finding(part, path, "MISSING_SCHEMA_URL", { what, next, at: [] }, undefined)];
  }
  if (!schemaPaths.has(schema)) {
    const guess = schemaGuesser.guess(schema);
    const next = guess.next ?? "correct it, or put the schema into schemas/";
    return [
      finding(part, path, "SCHEMA_NOT_FOUND", { what: `there is no schema ${schema}`, next, at: ["$schema"] }, schema),
    ];
  }
  const validate = book.validator(schema);
  if (validate instanceof Error) {
    const what = `the schema ${schema} cannot be used: ${validate.message}`;
    return [finding(part, path, "SCHEMA_ERROR", { what, next: "correct the schema", at: ["$schema"] }, schema)];
  }
  const outcome = isValid(validate, content);
  if (outcome === true) return [];
  const complaints: ValidationIssue[] =
    outcome === false
      ? explainErrors(validate.errors ?? [], content, book)
      : [{ what: `the schema ${schema} never comes to an end`, next: "correct the schema", at: ["$schema"] }];
  return limited(complaints).map((complaint) => finding(part, path, "VALIDATION_ERROR", complaint, schema));
}

function limited(complaints: readonly ValidationIssue[]): readonly ValidationIssue[] {
  if (complaints.length <= mostComplaints) return complaints;
  const rest = complaints.length - mostComplaints;
  return [...complaints.slice(0, mostComplaints), { what: `and ${rest} more mistakes like these`, at: [] }];
}

function finding(
  part: FilePart,
  path: string,
  reason: FindingReason,
  complaint: ValidationIssue,
  schema: string | undefined,
): BundleFinding {
  return { ...complaint, part, path, kind: "FILE", reason, ...(schema !== undefined && { schema }) };
}
