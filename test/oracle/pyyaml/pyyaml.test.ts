import { describe, expect, test } from "vitest";
import { pinnedPyyaml } from "./pyyaml.ts";
import { answerOurs, caseTexts, differs, generatedTexts } from "./questions.ts";
import { readRecorded, shorten } from "./recorded.ts";

const recorded = await readRecorded();

describe("data files are read as PyYAML reads them", () => {
  test("PyYAML's answers are recorded, else: node test/oracle/pyyaml/record.ts", async () => {
    expect(recorded.version).toBe(await pinnedPyyaml());
    expect(Object.keys(recorded.cases).toSorted()).toEqual(caseTexts().toSorted());
    expect(recorded.generated).toHaveLength(generatedTexts().length);
  });

  test.each(caseTexts().map((text) => ({ text, shown: JSON.stringify(text) })))(
    "a data file is read as PyYAML reads it: $shown",
    ({ text }) => {
      const theirs = recorded.cases[text];
      const { answer, said } = answerOurs(text);
      expect({ answer, said }).toEqual({ answer: differs(theirs, answer, said) ? theirs : answer, said });
    },
  );

  test("3,000 generated texts are read as PyYAML reads them", () => {
    const differences = generatedTexts().flatMap((text, index) => {
      const { answer, said } = answerOurs(text);
      const isSame = shorten(answer) === recorded.generated[index] || !differs("another", answer, said);
      return isSame || recorded.generated[index] === "?" ? [] : [{ text, answer, said }];
    });
    expect(differences).toEqual([]);
  });
});
