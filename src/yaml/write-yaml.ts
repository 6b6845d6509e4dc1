import type { JsonList, JsonObject, JsonValue } from "#base";
import { YamlEntries, YamlPlainText, type YamlDialect, type YamlShape, YamlWriter } from "./yaml-writer.ts";

/**
 * A list or a map as YAML for people and programs: keys in their own order, no folded lines, the dashes of a list right below its key.
 * Readers of YAML 1.1 and 1.2 read the same value from it.
 */
export function writeYaml(value: JsonList | JsonObject): string {
  return new YamlWriter(dialect).write(value);
}

const dialect: YamlDialect<JsonValue> = {
  shape,
  style: {
    foldsLines: false,
    indentsLists: false,
    allowsTabsInLiterals: false,
    // The keys `<<` and `=` have a meaning of their own in YAML 1.1.
    needsQuotes: (text) => text === "<<" || text === "=",
  },
};

function shape(value: JsonValue): YamlShape<JsonValue> {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return new YamlPlainText(numberText(value));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return new YamlEntries(Object.entries(value).map(([key, field]) => [key.toWellFormed(), field]));
}

/** A float of YAML 1.1 has a dot. */
function numberText(value: number): string {
  return String(value).replace(/^(-?[0-9]+)e/, "$1.0e");
}
