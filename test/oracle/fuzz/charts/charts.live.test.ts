import { expect, test } from "vitest";
import { startOracle } from "../../index.ts";
import { seed } from "#seeded";
import { Random } from "../random.ts";
import { anyChartQuestion } from "./any-chart.ts";
import { describeChartDifference, findChartDifferences, shrinkChartDifference } from "./compare-charts.ts";

const soakMs = 30 * 60_000;
const batch = 20;

test(`generated charts are rendered as Helm renders them (seed ${seed})`, { timeout: soakMs + 600_000 }, async () => {
  await using oracle = await startOracle();
  const random = new Random(seed);
  const end = performance.now() + soakMs;
  const isDone = (asked: number) => (process.env["TENON_SOAK"] ? performance.now() > end : asked >= 300);
  for (let asked = 0; !isDone(asked); asked += batch) {
    const [first] = await findChartDifferences(
      random.times(batch, () => anyChartQuestion(random)),
      oracle,
    );
    if (!first) continue;
    const smallest = await shrinkChartDifference(first, oracle);
    expect.fail(`chart ${asked} to ${asked + batch}:\n${describeChartDifference(smallest)}`);
  }
});
