import { afterAll, beforeAll, expect, test } from "vitest";
import { seed } from "#seeded";
import { Random } from "../fuzz/random.ts";
import { anyYaml } from "../fuzz/yaml-text.ts";
import { type Pyyaml, pinnedPyyaml, startPyyaml } from "./pyyaml.ts";
import { answerOurs, caseTexts, differs, generatedTexts } from "./questions.ts";
import { askRecorded, type RecordedAnswers, readRecorded } from "./recorded.ts";

const soakMs = 30 * 60_000;
const batch = 1_000;

let pyyaml: Pyyaml | string;
beforeAll(async () => {
  pyyaml = await startPyyaml();
  if (typeof pyyaml === "string") process.stderr.write(`not compared with PyYAML itself: ${pyyaml}\n`);
}, 600_000);
afterAll(async () => {
  if (typeof pyyaml !== "string") await pyyaml[Symbol.asyncDispose]();
});

/**
 * On a machine without Python and pip, the recorded answers alone judge, in the unit tests; what can be said here is that they are
 * those of the pinned version and answer all questions, and the line above says that no more was compared.
 */
test("PyYAML answers as recorded; where it cannot be installed, the record is complete and of the pinned version", async () => {
  const recorded = await readRecorded();
  const answers = typeof pyyaml === "string" ? await selectPinned(recorded) : await askRecorded(pyyaml);
  expect(answers, "to record anew: node test/oracle/pyyaml/record.ts").toEqual(recorded);
});

test(`30,000 generated texts are read as PyYAML reads them, where it can be installed (seed ${seed})`, {
  timeout: soakMs + 600_000,
}, async () => {
  const random = new Random(seed);
  const end = performance.now() + soakMs;
  const isDone = (asked: number) => (process.env["TENON_SOAK"] ? performance.now() > end : asked >= 30_000);
  for (let asked = 0; !isDone(asked); asked += batch) {
    const texts = random.times(batch, () => anyYaml(random));
    // Without PyYAML nothing is known, and nothing differs.
    const theirs = typeof pyyaml === "string" ? [] : await pyyaml.ask(texts);
    const differences = texts.flatMap((text, index) => {
      const { answer, said } = answerOurs(text);
      return differs(theirs[index], answer, said) ? [{ text, theirs: theirs[index], answer, said }] : [];
    });
    expect(differences, `text ${asked} to ${asked + batch}`).toEqual([]);
  }
});

/** The part of a record that answers today's questions by the pinned version. */
async function selectPinned({ cases, generated }: RecordedAnswers): Promise<RecordedAnswers> {
  return {
    version: await pinnedPyyaml(),
    cases: Object.fromEntries(caseTexts().map((text) => [text, cases[text]])),
    generated: generatedTexts().map((_, index) => generated[index] ?? ""),
  };
}
