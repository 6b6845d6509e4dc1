import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { Bundle, Datafile } from "../bundle.ts";
import type { DatafileFacts, FoundReference, FoundResource } from "../facts/datafile-facts.ts";
import { fragmentOf } from "../references/reference.ts";
import { listWords } from "./describe-value.ts";
import { explainErrors } from "./explain-errors.ts";
import type { ValidationIssue, BundleFinding } from "./bundle-finding.ts";
import type { PathGuesser } from "./path-guesser.ts";
import { isValid, type CompiledSchemas } from "./compiled-schemas.ts";

export interface ReferenceContext {
  readonly bundle: Bundle;
  readonly book: CompiledSchemas;
  readonly datafileGuesser: PathGuesser;
  readonly resourceGuesser: PathGuesser;
}

/** Adds what is wrong with the references of one file: they lead nowhere, or to something else than they should. */
export function checkReferences(
  { path }: Datafile,
  { references, resources }: DatafileFacts,
  context: ReferenceContext,
  findings: BundleFinding[],
): void {
  const { bundle } = context;
  for (const reference of references) {
    const target = bundle.datafiles.get(reference.target);
    const broken = target ? checkExpectation(reference, target, context.book) : missingFile(reference, context);
    if (broken) findings.push({ ...broken, part: "data", path, kind: "REF" });
  }
  for (const resource of resources) {
    if (bundle.resources.has(resource.target)) continue;
    findings.push({ ...missingResource(resource, context), part: "data", path, kind: "REF" });
  }
}

type BrokenReference = ValidationIssue & Pick<BundleFinding, "reason" | "schema">;

function missingFile({ target, at }: FoundReference, { datafileGuesser }: ReferenceContext): BrokenReference {
  const fragment = fragmentOf({ $ref: target });
  const broken = {
    reason: "FILE_NOT_FOUND",
    what: `$ref leads to ${target}, and there is no such data file`,
    at,
  } as const;
  if (fragment !== undefined) return { ...broken, next: `refer to the whole file: leave out ${fragment}` };
  if (!target.startsWith("/")) return { ...broken, next: "a path begins with /, at the top of the data" };
  return { ...broken, ...datafileGuesser.guess(target) };
}

function missingResource({ target, at }: FoundResource, { resourceGuesser }: ReferenceContext): BrokenReference {
  const what = `there is no resource ${target}`;
  return { reason: "RESOURCE_FILE_NOT_FOUND", what, ...resourceGuesser.guess(target), at };
}

function checkExpectation(
  { expected, target: path, at }: FoundReference,
  target: Datafile,
  book: CompiledSchemas,
): BrokenReference | undefined {
  const { schema } = target;
  if (expected === undefined || schema === undefined || expected === schema) return undefined;
  const next = "refer to another file";
  if (typeof expected === "string") {
    const wanted = expected.startsWith("/") ? expected : `/${expected}`;
    const what = `$ref leads to ${path}, which follows ${schema}, and one of ${wanted} is wanted`;
    return wanted === schema ? undefined : { reason: "INCORRECT_SCHEMA", what, next, at };
  }
  const reason = "SCHEMA_REF_VALIDATION_ERROR";
  const schemas = schemasWanted(expected);
  if (schemas?.has(schema)) return undefined;
  if (schemas) {
    const what = `$ref leads to ${path}, which follows ${schema}, and one of ${listWords([...schemas])} is wanted`;
    return { reason, what, next, at, schema };
  }
  const validate = book.inline(expected);
  const content = target.content["$schema"] === schema ? target.content : { ...target.content, $schema: schema };
  if (validate instanceof Error || isValid(validate, content) === true) return undefined;
  const why = explainErrors(validate.errors ?? [], content, book)[0]?.what ?? "it is not allowed here";
  return { reason, what: `$ref leads to ${path}, which does not fit: ${why}`, next, at, schema };
}

const wantedSchemas = new WeakMap<object, ReadonlySet<string> | null>();

/** The schemas one of which is wanted, if nothing else is; that is what most of such expectations say. */
function schemasWanted(expected: JsonValue): ReadonlySet<string> | undefined {
  if (!isJsonObject(expected)) return undefined;
  let wanted = wantedSchemas.get(expected);
  if (wanted === undefined) {
    wanted = listSchemas(expected) ?? null;
    wantedSchemas.set(expected, wanted);
  }
  return wanted ?? undefined;
}

function listSchemas({ type, properties, ...others }: JsonObject): ReadonlySet<string> | undefined {
  if (Object.keys(others).length > 0 || (type !== undefined && type !== "object")) return undefined;
  const { $schema: schema, ...fields } = isJsonObject(properties) ? properties : {};
  const allowed = isJsonObject(schema) ? schema["enum"] : undefined;
  if (Object.keys(fields).length > 0 || !isJsonList(allowed)) return undefined;
  return new Set(allowed.filter((one) => typeof one === "string"));
}
