import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { Bundle, Datafile } from "../bundle.ts";
import type { DatafileFacts, FoundReference, FoundResource } from "../facts/datafile-facts.ts";
import { fragmentOf } from "../references/reference.ts";
import { type BundleFinding, listWords, type PathGuesser, type ValidationIssue } from "./bundle-finding.ts";
import { explainErrors } from "./explain-errors.ts";
import { isValid, type CompiledSchemas } from "./compiled-schemas.ts";

export interface ReferenceContext {
  readonly bundle: Bundle;
  /** Files that exist and cannot be read, as part and path: they are reported once, and not at each reference. */
  readonly unreadable: ReadonlySet<string>;
  readonly compiled: CompiledSchemas;
  readonly datafileGuesser: PathGuesser;
  readonly resourceGuesser: PathGuesser;
}

/** Checks the references of one file: the target must exist and have the expected schema. */
export function checkReferences(
  { path, schema }: Datafile,
  { references, resources }: DatafileFacts,
  context: ReferenceContext,
  findings: BundleFinding[],
): void {
  const { bundle, unreadable } = context;
  for (const reference of references) {
    if (unreadable.has(`data ${reference.target}`)) continue;
    const target = bundle.datafiles.get(reference.target);
    const broken = target ? checkExpectation(reference, target, context.compiled) : missingFile(reference, context);
    if (broken) findings.push({ ...broken, part: "data", path, kind: "REF" });
  }
  for (const resource of resources) {
    if (bundle.resources.has(resource.target) || unreadable.has(`resources ${resource.target}`)) continue;
    const missing = missingResource(resource, context);
    findings.push({ ...missing, part: "data", path, kind: "REF", ...(schema !== undefined && { schema }) });
  }
}

type BrokenReference = ValidationIssue & Pick<BundleFinding, "reason" | "schema">;

function missingFile({ target, at }: FoundReference, { datafileGuesser }: ReferenceContext): BrokenReference {
  const fragment = fragmentOf({ $ref: target });
  const broken = {
    reason: "FILE_NOT_FOUND",
    what: `$ref ${target} does not exist`,
    at,
  } as const;
  if (fragment !== undefined) return { ...broken, next: `reference the whole file: remove ${fragment}` };
  if (!target.startsWith("/")) return { ...broken, next: "start the path with /, from the root of the data" };
  return { ...broken, ...datafileGuesser.guess(target) };
}

function missingResource({ target, at }: FoundResource, { resourceGuesser }: ReferenceContext): BrokenReference {
  const what = `resource ${target} does not exist`;
  return { reason: "RESOURCE_FILE_NOT_FOUND", what, ...resourceGuesser.guess(target), at };
}

function checkExpectation(
  { expected, target: path, at }: FoundReference,
  target: Datafile,
  compiled: CompiledSchemas,
): BrokenReference | undefined {
  const { schema } = target;
  if (expected === undefined || schema === undefined || expected === schema) return undefined;
  const next = "reference another file";
  if (typeof expected === "string") {
    const expectedSchema = expected.startsWith("/") ? expected : `/${expected}`;
    const what = `$ref ${path}: expected schema ${expectedSchema}, got ${schema}`;
    return expectedSchema === schema ? undefined : { reason: "INCORRECT_SCHEMA", what, next, at };
  }
  const reason = "SCHEMA_REF_VALIDATION_ERROR";
  const schemas = expectedSchemas(expected);
  if (schemas?.has(schema)) return undefined;
  if (schemas) {
    const what = `$ref ${path}: expected schema ${listWords([...schemas])}, got ${schema}`;
    return { reason, what, next, at, schema };
  }
  const validate = compiled.inline(expected);
  const content = target.content["$schema"] === schema ? target.content : { ...target.content, $schema: schema };
  if (validate instanceof Error || isValid(validate, content) === true) return undefined;
  const why = explainErrors(validate.errors ?? [], content, compiled)[0]?.what ?? "it is not allowed here";
  return { reason, what: `$ref ${path} does not fit: ${why}`, next, at, schema };
}

const schemasByExpectation = new WeakMap<object, ReadonlySet<string> | null>();

/** The allowed schemas, if the expectation is only an `enum` of schemas, as most are. */
function expectedSchemas(expected: JsonValue): ReadonlySet<string> | undefined {
  if (!isJsonObject(expected)) return undefined;
  let schemas = schemasByExpectation.get(expected);
  if (schemas === undefined) {
    schemas = listSchemas(expected) ?? null;
    schemasByExpectation.set(expected, schemas);
  }
  return schemas ?? undefined;
}

function listSchemas({ type, properties, ...others }: JsonObject): ReadonlySet<string> | undefined {
  if (Object.keys(others).length > 0 || (type !== undefined && type !== "object")) return undefined;
  const { $schema: schema, ...fields } = isJsonObject(properties) ? properties : {};
  const allowed = isJsonObject(schema) ? schema["enum"] : undefined;
  if (Object.keys(fields).length > 0 || !isJsonList(allowed)) return undefined;
  return new Set(allowed.filter((one) => typeof one === "string"));
}
