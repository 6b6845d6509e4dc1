import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readSchemaCases, type SchemaGoldens, schemaGoldens, validateOurs } from "./schemas.ts";

const goldens: SchemaGoldens = JSON.parse(await readFile(schemaGoldens, "utf8").catch(() => "{}"));

test.each(await readSchemaCases())("values are judged as Helm judges them: $name", (schemaCase) => {
  const expected = goldens[schemaCase.name];
  const ours = validateOurs(schemaCase);
  expect(ours).toHaveLength(expected?.length ?? -1);
  expect(ours.map((answer, index) => (answer === "refused" ? expected?.[index] || "accepted" : answer))).toEqual(
    expected,
  );
});
