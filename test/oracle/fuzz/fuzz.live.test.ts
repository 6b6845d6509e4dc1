import { afterAll, beforeAll, expect, test } from "vitest";
import { seed } from "#seeded";
import { type Oracle, startOracle } from "../oracle.ts";
import { describeDifference, findDifferences, shrinkDifference } from "./compare.ts";
import { signatures, unfuzzed } from "./functions.ts";
import { anyQuestion } from "./question.ts";
import { Random } from "./random.ts";

const soakMs = 30 * 60_000;
const batch = 1_000;

let oracle: Oracle;
beforeAll(async () => {
  oracle = await startOracle();
}, 1_200_000);
afterAll(() => oracle[Symbol.asyncDispose]());

test("every function of Helm is called by generated templates, but for those that have no one answer", async () => {
  const { output = "{}" } = await oracle.ask({ op: "functions", functions: "helm" });
  const called = new Set(signatures.helm.map(({ name }) => name));
  expect(Object.keys(JSON.parse(output)).filter((name) => !called.has(name) && !unfuzzed.includes(name))).toEqual([]);
});

test(`100,000 generated questions are answered as Go answers them (seed ${seed})`, {
  timeout: soakMs + 600_000,
}, async () => {
  const random = new Random(seed);
  const end = performance.now() + soakMs;
  const isDone = (asked: number) => (process.env["TENON_SOAK"] ? performance.now() > end : asked >= 100_000);
  for (let asked = 0; !isDone(asked); asked += batch) {
    const questions = random.times(batch, () => anyQuestion(random));
    const [first, ...others] = await findDifferences(questions, oracle);
    if (!first) continue;
    const smallest = await shrinkDifference(first, oracle);
    expect.fail(`question ${asked} to ${asked + batch}, and ${others.length} others:\n${describeDifference(smallest)}`);
  }
});
