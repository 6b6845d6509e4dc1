import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** A parameter as a `Template` declares it. */
export interface TemplateParameter {
  readonly name: string;
  readonly value: string;
  readonly generate: string;
  readonly from: string;
  readonly isRequired: boolean;
}

/** The parameters that `template` declares, in their order. Refuses what OpenShift refuses. */
export function readParameters(template: JsonObject, where: string): TemplateParameter[] {
  const declared = template["parameters"] ?? [];
  if (!Array.isArray(declared)) throw new InputError("expected parameters to be a list", { where });
  const seen = new Set<string>();
  return declared.map((entry: JsonValue, index) => {
    const place = `${where} parameters[${index}]`;
    if (!isJsonObject(entry)) throw new InputError("expected an object", { where: place });
    const name = textField(entry, "name", place);
    if (name === "") throw new InputError("name is missing", { where: `${place}.name`, next: "name the parameter" });
    if (seen.has(name))
      throw new InputError(`the parameter ${name} is declared twice`, { where: place, next: "remove one of them" });
    seen.add(name);
    return {
      name,
      value: textField(entry, "value", place),
      generate: textField(entry, "generate", place),
      from: textField(entry, "from", place),
      isRequired: isRequired(entry, place),
    };
  });
}

function isRequired(entry: JsonObject, where: string): boolean {
  const required = entry["required"] ?? false;
  if (typeof required === "boolean") return required;
  throw new InputError(`expected true or false, got ${JSON.stringify(required)}`, { where: `${where}.required` });
}

/** A string field; empty if it is missing. For another type, the error shows how to quote it. */
export function textField(object: JsonObject, field: string, where: string): string {
  const value = object[field] ?? "";
  if (typeof value === "string") return value;
  throw new InputError(`expected a string, got a ${typeof value}`, {
    where: `${where}.${field}`,
    next: `put it in quotes: ${field}: '${JSON.stringify(value)}'`,
  });
}
