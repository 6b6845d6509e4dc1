import { expect, test } from "vitest";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonValue } from "#base";
import { folder } from "./render-integrations.ts";
import { variants } from "./variants.ts";

test("what is compared with Helm and given to the API server has every setting of the schema", async () => {
  const schema: JsonValue = JSON.parse(await readFile(join(folder, "values.schema.json"), "utf8"));
  const definitions = isJsonObject(schema) && isJsonObject(schema["definitions"]) ? schema["definitions"] : {};
  const used = new Set(variants.flatMap(({ values }) => keysIn(values)));
  const missing = Object.entries(definitions).flatMap(([name, definition]) => {
    const properties = isJsonObject(definition) && name !== "probe" ? definition["properties"] : undefined;
    return Object.keys(isJsonObject(properties) ? properties : {}).filter((key) => !used.has(key));
  });
  expect(missing).toEqual([]);
});

function keysIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isJsonObject(value)) return [];
  return Object.keys(value).concat(Object.values(value).flatMap((inner) => keysIn(inner ?? null)));
}
