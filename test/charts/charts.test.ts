import { describe, expect, test } from "vitest";
import { answerOurs, comparable, readGoldens, readRenderings } from "./renderings.ts";

const charts = await Promise.all(
  [...(await readRenderings())].map(async ([chart, renderings]) => {
    return { chart, renderings, goldens: await readGoldens(chart) };
  }),
);

describe.each(charts)("$chart", ({ renderings, goldens }) => {
  test("Helm's answers are recorded, else: node test/charts/record.ts", () => {
    expect(Object.keys(goldens)).toEqual(renderings.map(({ name }) => name));
  });

  test.each(renderings)("$name", (rendering) => {
    const golden = comparable(goldens[rendering.name] ?? {});
    const ours = comparable(answerOurs(rendering));
    expect(ours.error === "" ? { error: golden.error } : ours).toEqual(golden);
  });
});
