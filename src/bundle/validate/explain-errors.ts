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
import { describeValue, listWords, type ValidationIssue } from "./bundle-finding.ts";
import { isValid, type CompiledSchemas } from "./compiled-schemas.ts";

/** Turns ajv's errors into messages for the author of the file, each once. */
export function explainErrors(
  errors: readonly ErrorObject[],
  root: JsonValue,
  compiled: CompiledSchemas,
  below = "",
): ValidationIssue[] {
  const choices = errors
    .filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")
    .map((choice) => ({ choice, parts: compiled.reachable(choice.schema) }));
  // ajv reports the errors of every alternative, and then that none matches.
  const own = errors.filter(
    (error) =>
      !choices.some(
        ({ choice, parts }) =>
          choice !== error && error.instancePath.startsWith(choice.instancePath) && parts.has(error.parentSchema),
      ),
  );
  const issues = own.flatMap((error) =>
    explainError(error, locate(root, below + error.instancePath), root, compiled, below),
  );
  return [...new Map(issues.map((one) => [`${formatFieldPath(one.at)}\n${one.what}`, one])).values()];
}

interface Location {
  readonly at: FieldPath;
  readonly value: JsonValue;
  /** For messages. */
  readonly name: string;
}

function explainError(
  error: ErrorObject,
  location: Location,
  root: JsonValue,
  compiled: CompiledSchemas,
  below: string,
): ValidationIssue[] {
  const { at, value, name } = location;
  switch (error.keyword) {
    case "additionalProperties":
      return [unknownField(error, at)];
    case "required": {
      const missing = String(error.params["missingProperty"]);
      const about = descriptionOf(error.parentSchema, missing);
      return [
        { what: `${name} has no ${missing}, which is required`, next: `add ${missing}${about && `: ${about}`}`, at },
      ];
    }
    case "enum":
      return [unknownValue(error.params["allowedValues"], location)];
    case "const":
      return [unknownValue([error.params["allowedValue"]], location)];
    case "type":
      return [wrongType(error, location)];
    case "oneOf":
    case "anyOf":
      return explainChoice(error, location, root, compiled, below);
    case "pattern":
      return [{ what: `${name}: ${describeValue(value)} does not match ${String(error.params["pattern"])}`, at }];
    case "format":
      return [{ what: `${name}: ${describeValue(value)} is not a valid ${String(error.params["format"])}`, at }];
    default:
      return [{ what: `${name}: ${describeValue(value)} ${error.message ?? "is not allowed"}`, at }];
  }
}

function unknownField({ params, parentSchema }: ErrorObject, parent: FieldPath): ValidationIssue {
  const key = String(params["additionalProperty"]);
  const known = Object.keys(propertiesOf(parentSchema)).filter((name) => name !== "$schema");
  const near = nearestName(key, known);
  const next = near === undefined ? `use one of ${listWords(known)}` : `did you mean ${near}?`;
  const at = [...parent, key];
  return { what: `unknown field ${formatFieldPath(at)}`, next, at };
}

function unknownValue(allowed: unknown, { at, value, name }: Location): ValidationIssue {
  const words = (Array.isArray(allowed) ? allowed : []).map((one) =>
    typeof one === "string" ? one : JSON.stringify(one),
  );
  const near = typeof value === "string" ? nearestName(value, words) : undefined;
  const next = near === undefined ? `use one of ${listWords(words)}` : `did you mean ${near}?`;
  return { what: `${name}: ${describeValue(value)} is not a valid value`, next, at };
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

function wrongType({ params }: ErrorObject, { at, value, name }: Location): ValidationIssue {
  const types: unknown[] = Array.isArray(params["type"]) ? params["type"] : [params["type"]];
  const expected = listWords(types.map((type) => typeWords[String(type)] ?? String(type)));
  const what = `${name}: expected ${expected}, got ${describeValue(value)}`;
  const next = typeHint(value, types);
  return { what, at, ...(next !== undefined && { next }) };
}

function typeHint(value: JsonValue, types: readonly unknown[]): string | undefined {
  if (value === null) return "set a value, or remove the field";
  if (types.includes("string") && typeof value !== "object") return `quote it: ${JSON.stringify(String(value))}`;
  if (typeof value === "string" && /^(true|false|-?\d+(\.\d+)?)$/.test(value)) return "remove the quotes";
  return undefined;
}

/** Reports the errors of the alternative that was most likely meant. */
function explainChoice(
  error: ErrorObject,
  location: Location,
  root: JsonValue,
  compiled: CompiledSchemas,
  below: string,
): ValidationIssue[] {
  const { at, value, name } = location;
  if (error.params["passingSchemas"]) {
    return [{ what: `${name} matches more than one of its allowed forms`, next: "keep the fields of one form", at }];
  }
  const attempts = compiled
    .alternatives(error.parentSchema, error.keyword)
    .map((validate) => (isValid(validate, value) === true ? [] : (validate.errors ?? [])))
    .toSorted((one, other) => distance(one) - distance(other));
  const [best = [], second = []] = attempts;
  const inside = below + error.instancePath;
  if (best.length > 0 && (attempts.length === 1 || distance(best) < distance(second))) {
    return explainErrors(best, root, compiled, inside);
  }
  const forms = new Set(attempts.flatMap((errors) => explainErrors(errors, root, compiled, inside)[0]?.what ?? []));
  const next = forms.size === 0 ? {} : { next: [...forms].join("; or ") };
  return [{ what: `${name} matches none of its allowed forms`, ...next, at }];
}

/** A wrong tag (an `enum` field) or a wrong type means that another alternative was meant. */
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

function locate(root: JsonValue, pointer: string): Location {
  const at: (string | number)[] = [];
  let value: JsonValue = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at.push(isJsonList(value) ? Number(key) : key);
    value = (isJsonList(value) ? value[Number(key)] : isJsonObject(value) ? value[key] : undefined) ?? null;
  }
  return { at, value, name: at.length === 0 ? "the file" : formatFieldPath(at) };
}
