import { describe, expect, test } from "vitest";
import { corpusTopics, readCorpus } from "./corpus.ts";
import { readGoldens } from "./goldens.ts";
import { answerOurs } from "./ours.ts";
import type { OracleAnswer } from "./requests.ts";

const topics = await Promise.all(
  (await corpusTopics()).map(async (topic) => {
    return { topic, cases: await readCorpus(topic), goldens: await readGoldens(topic) };
  }),
);

describe.each(topics)("$topic", ({ cases, goldens }) => {
  test("Go's answers are recorded, else: node test/oracle/record.ts", () => {
    expect(Object.keys(goldens)).toEqual(cases.map(({ name }) => name));
  });

  test.each(cases)("$name", ({ name, request, text }) => {
    expect(comparable(answerOurs(request), text)).toEqual(comparable(goldens[name] ?? {}, text));
  });
});

/** What counts of an answer: output or phase, and the text of an error if it is a parse error or the case asks for it. */
function comparable(answer: OracleAnswer, text: "exact" | "any"): OracleAnswer {
  if (answer.phase === undefined || answer.phase === "parse" || text === "exact") return answer;
  return { phase: answer.phase };
}
