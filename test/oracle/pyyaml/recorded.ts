import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Pyyaml, type PyyamlAnswer, pinnedPyyaml } from "./pyyaml.ts";
import { caseTexts, generatedTexts } from "./questions.ts";

/** PyYAML's answers, so that the unit tests need no Python. */
export interface RecordedAnswers {
  /** The version that answered. */
  readonly version: string;
  /** By text. */
  readonly cases: Readonly<Record<string, PyyamlAnswer>>;
  /** Of the generated texts, in their order: the beginning of a hash of each, `-` for what it refuses. */
  readonly generated: readonly string[];
}

const file = join(import.meta.dirname, "recorded.json");

export async function readRecorded(): Promise<RecordedAnswers> {
  return JSON.parse(await readFile(file, "utf8"));
}

export async function writeRecorded(recorded: RecordedAnswers): Promise<void> {
  await writeFile(file, `${JSON.stringify(recorded, undefined, 1)}\n`);
}

/** Asks PyYAML anew. */
export async function askRecorded(pyyaml: Pyyaml): Promise<RecordedAnswers> {
  const texts = caseTexts();
  const answers = await pyyaml.ask(texts);
  const generated = await pyyaml.ask(generatedTexts());
  return {
    version: await pinnedPyyaml(),
    cases: Object.fromEntries(texts.map((text, index) => [text, answers[index]])),
    generated: generated.map(shorten),
  };
}

/** What stands for an answer in the list of the generated ones. */
export function shorten(answer: PyyamlAnswer): string {
  if (answer === undefined) return "?";
  return answer === null ? "-" : hash("sha256", answer).slice(0, 8);
}
