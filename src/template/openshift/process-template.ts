import { randomInt } from "node:crypto";
import { generateValue, type RandomBelow } from "./generate-value.ts";
import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { refersToParameter, substitute, substituteText } from "./substitute.ts";
import { readParameters, type TemplateParameter } from "./template-parameter.ts";

export interface ProcessOptions {
  /** Values by parameter name. Names that the template does not declare are ignored; what is no string is taken as its JSON text. */
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  /** Said in messages before the field: a file, a chart. */
  readonly where?: string;
  readonly random?: RandomBelow;
}

export interface ProcessedTemplate {
  readonly objects: JsonObject[];
  /** The value that each parameter had, in the order of their declaration. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly message: string | undefined;
}

/** Whether an object is an OpenShift `Template`, which `processTemplate` turns into the objects it holds. */
export function isTemplate(object: JsonObject): boolean {
  const { apiVersion, kind } = object;
  return kind === "Template" && (apiVersion === "v1" || apiVersion === "template.openshift.io/v1");
}

/** Does what `oc process` does: parameters get their values, and the template's objects are given with them filled in. */
export function processTemplate(template: JsonObject, options: ProcessOptions = {}): ProcessedTemplate {
  const where = [options.where, nameOf(template)].filter(Boolean).join(": ");
  const values = resolveValues(readParameters(template, where), options, where);
  const objects = template["objects"] ?? [];
  if (!Array.isArray(objects)) throw new InputError("objects is not a list", { where });
  const labels = substitutedLabels(template["labels"], values);
  const { message } = template;
  return {
    objects: objects.map((object: JsonValue, index) => {
      if (!isJsonObject(object)) throw new InputError("is not an object", { where: `${where} objects[${index}]` });
      return processObject(object, values, labels);
    }),
    parameters: values,
    message: typeof message === "string" ? substituteText(message, values) : undefined,
  };
}

function resolveValues(
  declared: readonly TemplateParameter[],
  options: ProcessOptions,
  where: string,
): Map<string, string> {
  const given = options.parameters ?? {};
  const random = options.random ?? ((bound: number) => randomInt(bound));
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const [index, parameter] of declared.entries()) {
    const chosen = Object.hasOwn(given, parameter.name) ? textOf(given[parameter.name] ?? null) : parameter.value;
    const value = chosen === "" ? generated(parameter, random, `${where} parameters[${index}]`) : chosen;
    if (value === "" && parameter.isRequired) missing.push(parameter.name);
    values.set(parameter.name, value);
  }
  if (missing.length === 0) return values;
  throw new InputError(`required and without a value: ${missing.join(", ")}`, {
    where,
    next: `give each a value: ${missing.map((name) => `--param ${name}=…`).join(" ")}`,
  });
}

function generated({ generate, from, name }: TemplateParameter, random: RandomBelow, where: string): string {
  if (generate === "") return "";
  if (generate === "expression") return generateValue(from, random, `${where}.from`);
  throw new InputError(`the parameter ${name} asks for the generator ${JSON.stringify(generate)}`, {
    where: `${where}.generate`,
    next: "the only generator is expression",
  });
}

function processObject(object: JsonObject, values: ReadonlyMap<string, string>, labels: JsonObject): JsonObject {
  const filled = substitute(withoutLiteralNamespace(object), values);
  if (!isJsonObject(filled)) return object;
  if (Object.keys(labels).length === 0) return filled;
  const metadata = isJsonObject(filled["metadata"]) ? filled["metadata"] : {};
  const own = isJsonObject(metadata["labels"]) ? metadata["labels"] : {};
  return { ...filled, metadata: { ...metadata, labels: { ...own, ...labels } } };
}

/** The objects of a template go where it is processed to, unless a parameter decides. */
function withoutLiteralNamespace(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const { namespace, ...rest } = metadata;
  if (typeof namespace !== "string" || refersToParameter(namespace)) return object;
  return { ...object, metadata: rest };
}

function substitutedLabels(labels: JsonValue | undefined, values: ReadonlyMap<string, string>): JsonObject {
  if (!isJsonObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [substituteText(key, values), substituteText(textOf(value), values)]),
  );
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function nameOf(template: JsonObject): string {
  const { metadata } = template;
  const name = isJsonObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? `Template ${name}` : "Template";
}
