import { describe, expect, test } from "vitest";
import { startOracle } from "#oracle";
import { askHelm, readGoldens, readRenderings, render } from "./renderings.ts";
import { askSchema, readSchemaCases } from "./schemas.ts";

const charts = [...(await readRenderings())].map(([chart, renderings]) => ({ chart, renderings }));

describe.each(charts)("$chart", ({ chart, renderings }) => {
  test("Helm still answers what is recorded, else: node test/charts/record.ts", async () => {
    await using oracle = await startOracle();
    const answers = renderings.map(async (rendering) => [rendering.name, await askHelm(oracle, rendering)] as const);
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(await readGoldens(chart));
  });

  test("the objects that we read in a rendering are those that Helm's library reads", async () => {
    await using oracle = await startOracle();
    const goldens = await readGoldens(chart);
    const rendered = renderings.filter(({ name }) => goldens[name]?.error === undefined).map(render);
    const documents = rendered.flatMap(({ manifests, hooks }) => manifests.concat(hooks));
    const answers = await Promise.all(documents.map(({ text }) => oracle.ask({ op: "yaml", text })));
    const objects = answers.map(({ output = "null" }): unknown => JSON.parse(output));
    expect(documents.map(({ object = null }) => object)).toEqual(objects);
  });
});

test("Helm still says to schemas and values what is recorded, else: node test/charts/record.ts", async () => {
  await using oracle = await startOracle();
  const answers = (await readSchemaCases()).map(async (each) => [each.name, await askSchema(oracle, each)] as const);
  expect(Object.fromEntries(await Promise.all(answers))).toEqual(await readGoldens("schemas"));
});
