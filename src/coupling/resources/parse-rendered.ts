import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { parseYamlDocuments } from "#yaml";

/**
 * The objects of a rendered text: none, one or several; a `List` gives its items.
 * Messages have the line, and nothing of the text itself, which may contain secrets.
 */
export function parseRendered(text: string, field: string): JsonObject[] {
  return documentsOf(text, field).flatMap(({ value, line }) => expandList(value, `${field}, rendered line ${line}`));
}

function documentsOf(text: string, field: string) {
  // A template may leave a tab behind, which is not valid YAML.
  if (text.split("\n").every(isBlank)) return [];
  try {
    return parseYamlDocuments(text);
  } catch (error) {
    const place = error instanceof InputError ? /^(?:line )?(\d+)/.exec(error.where ?? "")?.[1] : undefined;
    throw new InputError("renders to text that is not valid YAML", {
      where: place === undefined ? field : `${field}, rendered line ${place}`,
      next: "pass values with quotes, colons or newlines through quote or toJson",
    });
  }
}

function isBlank(line: string): boolean {
  const bare = line.trim();
  return bare === "" || bare === "---" || bare.startsWith("#");
}

/** As kubectl does with a List of any kind. */
export function expandList(value: JsonValue, where: string): JsonObject[] {
  if (value === null) return [];
  if (!isJsonObject(value)) throw new InputError("renders to a value that is not an object", { where });
  const { kind, items } = value;
  if (typeof kind === "string" && kind.endsWith("List") && isJsonList(items)) {
    return items.flatMap((item, index) => expandList(item, `${where}, items[${index}]`));
  }
  return [value];
}
