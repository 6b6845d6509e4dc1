import type { ErrorObject } from "ajv";
import {
  type FieldPath,
  formatFieldPath,
  isJsonList,
  isJsonObject,
  isRecord,
  type JsonValue,
  nearestName,
} from "#base";
import { describeValue, listWords } from "./describe-value.ts";
import type { ValidationIssue } from "./bundle-finding.ts";
import { isValid, type CompiledSchemas } from "./compiled-schemas.ts";

/** What ajv found wrong with a value, in words for whoever wrote it; each thing once. */
export function explainErrors(
  errors: readonly ErrorObject[],
  root: JsonValue,
  book: CompiledSchemas,
  below = "",
): ValidationIssue[] {
  const choices = errors
    .filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")
    .map((choice) => ({ choice, parts: book.reachable(choice.schema) }));
  // ajv reports what is wrong with every alternative, before it reports that none fits.
  const own = errors.filter(
    (error) =>
      !choices.some(
        ({ choice, parts }) =>
          choice !== error && error.instancePath.startsWith(choice.instancePath) && parts.has(error.parentSchema),
      ),
  );
  const complaints = own.flatMap((error) =>
    explain(error, placeIn(root, below + error.instancePath), root, book, below),
  );
  return [...new Map(complaints.map((one) => [`${formatFieldPath(one.at)}\n${one.what}`, one])).values()];
}

interface Place {
  readonly at: FieldPath;
  readonly value: JsonValue;
  /** In a sentence. */
  readonly name: string;
}

function explain(
  error: ErrorObject,
  place: Place,
  root: JsonValue,
  book: CompiledSchemas,
  below: string,
): ValidationIssue[] {
  const { at, value, name } = place;
  switch (error.keyword) {
    case "additionalProperties":
      return [unknownField(error, at)];
    case "required": {
      const missing = String(error.params["missingProperty"]);
      const about = descriptionOf(error.parentSchema, missing);
      return [{ what: `${name} lacks the field ${missing}`, next: `add ${missing}${about && `: ${about}`}`, at }];
    }
    case "enum":
      return [unknownValue(error.params["allowedValues"], place)];
    case "const":
      return [unknownValue([error.params["allowedValue"]], place)];
    case "type":
      return [wrongType(error, place)];
    case "oneOf":
    case "anyOf":
      return explainChoice(error, place, root, book, below);
    case "pattern":
      return [
        { what: `${name} is ${describeValue(value)}, which does not match ${String(error.params["pattern"])}`, at },
      ];
    case "format":
      return [{ what: `${name} is ${describeValue(value)}, which is no ${String(error.params["format"])}`, at }];
    default:
      return [{ what: `${name} is ${describeValue(value)}: it ${error.message ?? "is not allowed"}`, at }];
  }
}

function unknownField({ params, parentSchema }: ErrorObject, parent: FieldPath): ValidationIssue {
  const key = String(params["additionalProperty"]);
  const known = Object.keys(propertiesOf(parentSchema)).filter((name) => name !== "$schema");
  const near = nearestName(key, known);
  const next = near === undefined ? `it can have ${listWords(known)}` : `did you mean ${near}?`;
  const at = [...parent, key];
  return { what: `${formatFieldPath(at)} is not a field that is known here`, next, at };
}

function unknownValue(allowed: unknown, { at, value, name }: Place): ValidationIssue {
  const words = (Array.isArray(allowed) ? allowed : []).map((one) =>
    typeof one === "string" ? one : JSON.stringify(one),
  );
  const near = typeof value === "string" ? nearestName(value, words) : undefined;
  const next = near === undefined ? `it can be ${listWords(words)}` : `did you mean ${near}?`;
  return { what: `${name} is ${describeValue(value)}, which is not allowed`, next, at };
}

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object with fields",
  array: "a list",
};

function wrongType({ params }: ErrorObject, { at, value, name }: Place): ValidationIssue {
  const types: unknown[] = Array.isArray(params["type"]) ? params["type"] : [params["type"]];
  const wanted = listWords(types.map((type) => typeWords[String(type)] ?? String(type)));
  const what = `${name} is ${describeValue(value)}, and must be ${wanted}`;
  const next = typeHint(value, types);
  return { what, at, ...(next !== undefined && { next }) };
}

function typeHint(value: JsonValue, types: readonly unknown[]): string | undefined {
  if (value === null) return "give it a value, or leave the field out";
  if (types.includes("string") && typeof value !== "object")
    return `put it in quotes: ${JSON.stringify(String(value))}`;
  if (typeof value === "string" && /^(true|false|-?\d+(\.\d+)?)$/.test(value)) return "leave out the quotes";
  return undefined;
}

/** Complains about the alternative that was most likely meant. */
function explainChoice(
  error: ErrorObject,
  place: Place,
  root: JsonValue,
  book: CompiledSchemas,
  below: string,
): ValidationIssue[] {
  const { at, value, name } = place;
  if (error.params["passingSchemas"]) {
    return [{ what: `${name} could mean two things at once`, next: "leave out the fields of one of them", at }];
  }
  const attempts = book
    .alternatives(error.parentSchema, error.keyword)
    .map((validate) => (isValid(validate, value) === true ? [] : (validate.errors ?? [])))
    .toSorted((one, other) => distance(one) - distance(other));
  const [best = [], second = []] = attempts;
  const inside = below + error.instancePath;
  if (best.length > 0 && (attempts.length === 1 || distance(best) < distance(second))) {
    return explainErrors(best, root, book, inside);
  }
  const forms = new Set(attempts.flatMap((errors) => explainErrors(errors, root, book, inside)[0]?.what ?? []));
  const next = forms.size === 0 ? {} : { next: [...forms].join("; or ") };
  return [{ what: `${name} has none of the forms that it can have`, ...next, at }];
}

/** A wrong value where one of a few is wanted, or a wrong type, means that another alternative was meant. */
function distance(errors: readonly ErrorObject[]): number {
  return errors.reduce((sum, { keyword, instancePath }) => {
    const depth = instancePath.split("/").length - 1;
    const isTag = (keyword === "enum" || keyword === "const") && depth === 1;
    return sum + (isTag || (keyword === "type" && depth === 0) ? 100 : 1);
  }, 0);
}

function descriptionOf(schema: unknown, field: string): string {
  const properties = propertiesOf(schema);
  const own = Object.hasOwn(properties, field) ? properties[field] : undefined;
  const description = isRecord(own) ? own["description"] : undefined;
  return typeof description === "string" ? (description.trim().split("\n")[0] ?? "") : "";
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  return isRecord(properties) ? properties : {};
}

function placeIn(root: JsonValue, pointer: string): Place {
  const at: (string | number)[] = [];
  let value: JsonValue = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at.push(isJsonList(value) ? Number(key) : key);
    value = (isJsonList(value) ? value[Number(key)] : isJsonObject(value) ? value[key] : undefined) ?? null;
  }
  return { at, value, name: at.length === 0 ? "the file" : formatFieldPath(at) };
}
