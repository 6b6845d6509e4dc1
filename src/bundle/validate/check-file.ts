import { formatFieldPath, InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { parseYaml, type YamlSurprise } from "#yaml";
import type { Datafile, FilePart, GivenDescription, ResourceFile } from "../bundle.ts";
import { descriptionPath } from "../source/file-role.ts";
import { integrationSchema } from "../source/legacy-forms.ts";
import { schemaPath } from "../source/parse-file.ts";
import { descriptionSchema } from "../type-description.ts";
import { explainErrors } from "./explain-errors.ts";
import type { BundleFinding, FindingReason, PathGuesser, ValidationIssue } from "./bundle-finding.ts";
import { checkIntegration, type IntegrationIssue } from "./check-integration.ts";
import { isValid, type CompiledSchemas } from "./compiled-schemas.ts";
import type { SchemaNodes } from "../facts/schema-node.ts";
import { warnOfSurprises } from "./warn-of-surprises.ts";

/** The first errors of a file are enough. */
const mostIssues = 20;

export interface SchemaContext {
  readonly compiled: CompiledSchemas;
  readonly schemaPaths: ReadonlySet<string>;
  readonly schemaGuesser: PathGuesser;
  readonly schemaNodes: SchemaNodes;
}

/** Checks a data file by itself. */
export function checkDatafile(datafile: Datafile, context: SchemaContext): BundleFinding[] {
  const findings = checkMeaning(datafile, context);
  if (!datafile.surprises) return findings;
  const warnings = warnOfSurprises(datafile, datafile.surprises, context.schemaNodes, findings);
  return [...findings.map((one) => quotedAsWritten(one, datafile.surprises ?? [])), ...warnings];
}

/** What is to be quoted is what stands in the file: `1.10`, and not the number 1.1. */
function quotedAsWritten(found: BundleFinding, surprises: readonly YamlSurprise[]): BundleFinding {
  if (!found.next?.startsWith("quote it")) return found;
  const place = formatFieldPath(found.at);
  const surprise = surprises.find(({ at, kind }) => kind !== "duplicate" && formatFieldPath(at) === place);
  return surprise ? { ...found, next: `quote it: ${JSON.stringify(surprise.written)}` } : found;
}

function checkMeaning({ path, content, written = content, schema }: Datafile, context: SchemaContext): BundleFinding[] {
  const bySchema = checkContent("data", path, written, schema, context);
  const special = checkIntegration(written, schema);
  if (special.length === 0) return bySchema;
  // A specific error replaces the general one of the schema at the same path.
  const places = new Set(special.map(({ at }) => formatFieldPath(at)));
  return [
    ...bySchema.filter(({ at }) => !places.has(formatFieldPath(at))),
    ...special.map((issue) => specialFinding(path, issue, schema)),
  ];
}

function specialFinding(path: string, issue: IntegrationIssue, schema: string | undefined): BundleFinding {
  const { isError, what, next, at } = issue;
  const said = { what, at, ...(next !== undefined && { next }) };
  return isError
    ? finding("data", path, "VALIDATION_ERROR", said, schema)
    : { ...said, part: "data", path, kind: "FILE" };
}

/** Checks a resource that has a `$schema`. Templates are not valid YAML and are skipped. */
export function checkResource({ path, content, schema }: ResourceFile, context: SchemaContext): BundleFinding[] {
  if (schema === undefined) return [];
  const value = valueOf(content);
  if (!isJsonObject(value)) return [];
  return checkContent("resources", path, value, schema.startsWith("/") ? schema : `/${schema}`, context);
}

/** Whether a resource was checked by its schema: not if it has none, or is not YAML. */
export function hasCheckedContent({ content, schema }: ResourceFile): boolean {
  return schema !== undefined && isJsonObject(valueOf(content));
}

function valueOf(yaml: string): JsonValue | undefined {
  try {
    return parseYaml(yaml, { library: "pyyaml" });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** Checks the GraphQL description as a file. An old one is a list of types, without a schema. */
export function checkDescriptionFile({ value }: GivenDescription, context: SchemaContext): BundleFinding[] {
  if (!isJsonObject(value)) return [];
  return checkContent("description", descriptionPath, value, schemaPath(value["$schema"]), context);
}

function checkContent(
  part: FilePart,
  path: string,
  content: JsonObject,
  schema: string | undefined,
  { compiled, schemaPaths, schemaGuesser }: SchemaContext,
): BundleFinding[] {
  if (schema === undefined) {
    const what = "$schema" in content ? "expected $schema to be a string" : "the file has no $schema";
    const example = part === "description" ? descriptionSchema : integrationSchema;
    const next = `add the path of a schema, for example $schema: ${example}`;
    return [finding(part, path, "MISSING_SCHEMA_URL", { what, next, at: [] }, undefined)];
  }
  if (!schemaPaths.has(schema)) {
    const guess = schemaGuesser.guess(schema);
    const next = guess.next ?? "fix the path, or add the schema to schemas/";
    return [
      finding(
        part,
        path,
        "SCHEMA_NOT_FOUND",
        { what: `schema ${schema} does not exist`, next, at: ["$schema"] },
        schema,
      ),
    ];
  }
  if (compiled.isSurelyValid(schema, content)) return [];
  const validate = compiled.validator(schema);
  if (validate instanceof Error) {
    const what = `schema ${schema} is not valid: ${validate.message}`;
    return [finding(part, path, "SCHEMA_ERROR", { what, next: "fix the schema", at: ["$schema"] }, schema)];
  }
  const outcome = isValid(validate, content);
  if (outcome === true) return [];
  const issues: ValidationIssue[] =
    outcome === false
      ? explainErrors(validate.errors ?? [], content, compiled)
      : [{ what: `schema ${schema} refers to itself without end`, next: "fix the schema", at: ["$schema"] }];
  return limited(issues).map((issue) => finding(part, path, "VALIDATION_ERROR", issue, schema));
}

function limited(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  if (issues.length <= mostIssues) return issues;
  const rest = issues.length - mostIssues;
  return [...issues.slice(0, mostIssues), { what: `and ${rest} more errors`, at: [] }];
}

function finding(
  part: FilePart,
  path: string,
  reason: FindingReason,
  issue: ValidationIssue,
  schema: string | undefined,
): BundleFinding {
  return { ...issue, part, path, kind: "FILE", reason, ...(schema !== undefined && { schema }) };
}
