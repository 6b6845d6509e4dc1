import { afterAll, beforeAll, expect, test } from "vitest";
import { corpusTopics, readCorpus } from "./corpus.ts";
import { askGoldens, readGoldens } from "./goldens.ts";
import { type Oracle, startOracle } from "./oracle.ts";

let oracle: Oracle;
beforeAll(async () => {
  oracle = await startOracle();
}, 1_200_000);
afterAll(() => oracle[Symbol.asyncDispose]());

test.each(await corpusTopics())("Go still answers as recorded: %s", async (topic) => {
  const answers = await askGoldens(await readCorpus(topic), oracle);
  expect(answers, `to record anew: node test/oracle/record.ts ${topic}`).toEqual(await readGoldens(topic));
});
