import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** A parameter as a `Template` declares it. */
export interface TemplateParameter {
  readonly name: string;
  readonly value: string;
  readonly generate: string;
  readonly from: string;
  readonly isRequired: boolean;
}

/** The parameters that `template` declares, in their order; complains of what OpenShift would refuse to read. */
export function readParameters(template: JsonObject, where: string): TemplateParameter[] {
  const declared = template["parameters"] ?? [];
  if (!Array.isArray(declared)) throw new InputError("parameters is not a list", { where });
  const seen = new Set<string>();
  return declared.map((entry: JsonValue, index) => {
    const place = `${where} parameters[${index}]`;
    if (!isJsonObject(entry)) throw new InputError("is not an object", { where: place });
    const name = textOf(entry, "name", place);
    if (name === "") throw new InputError("has no name", { where: `${place}.name`, next: "name the parameter" });
    if (seen.has(name))
      throw new InputError(`the parameter ${name} is declared twice`, { where: place, next: "remove one of them" });
    seen.add(name);
    return {
      name,
      value: textOf(entry, "value", place),
      generate: textOf(entry, "generate", place),
      from: textOf(entry, "from", place),
      isRequired: entry["required"] === true,
    };
  });
}

function textOf(entry: JsonObject, field: string, where: string): string {
  const value = entry[field] ?? "";
  if (typeof value === "string") return value;
  throw new InputError(`is a ${typeof value}, and a parameter holds text`, {
    where: `${where}.${field}`,
    next: `put it in quotes: ${field}: '${JSON.stringify(value)}'`,
  });
}
