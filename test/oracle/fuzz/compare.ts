import { setImmediate } from "node:timers/promises";
import type { Oracle } from "../oracle.ts";
import { answerOurs, canonicalJson } from "../ours.ts";
import type { OracleAnswer } from "../requests.ts";
import { render } from "./node.ts";
import { type Question, shrinkQuestion, toRequest } from "./question.ts";

export interface Difference {
  readonly question: Question;
  readonly go: OracleAnswer;
  readonly ours: OracleAnswer;
}

/** Asks Go and us, at the same time, and gives the questions that are answered differently. */
export async function findDifferences(questions: readonly Question[], oracle: Oracle): Promise<Difference[]> {
  const requests = questions.map(toRequest);
  const asked = Promise.all(requests.map((request) => oracle.ask(request)));
  await setImmediate(); // when they are sent
  const ours = requests.map(answerOurs);
  const go = await asked;
  return questions.flatMap((question, index) => {
    const answers = { go: comparable(question, go[index] ?? {}), ours: ours[index] ?? {} };
    return !showsStructs(question) && differs(answers) ? { question, ...answers } : [];
  });
}

/** The smallest question found, within a bounded number of steps, that still shows a difference. */
export async function shrinkDifference(difference: Difference, oracle: Oracle): Promise<Difference> {
  let smallest = difference;
  for (let steps = 0; steps < 60; steps++) {
    const smaller = await findSmaller(smallest, oracle);
    if (!smaller) break;
    smallest = smaller;
  }
  return smallest;
}

async function findSmaller({ question }: Difference, oracle: Oracle): Promise<Difference | undefined> {
  let batch: Question[] = [];
  for (const candidate of shrinkQuestion(question)) {
    batch.push(candidate);
    if (batch.length < 32) continue;
    const [found] = await findDifferences(batch, oracle);
    if (found) return found;
    batch = [];
  }
  const [found] = await findDifferences(batch, oracle);
  return found;
}

/** For people: what was asked and what was said. */
export function describeDifference({ question, go, ours }: Difference): string {
  return JSON.stringify({ ...toRequest(question), go, ours }, undefined, 2);
}

/** Of YAML the value counts, and not how its JSON is written. */
function comparable(question: Question, answer: OracleAnswer): OracleAnswer {
  if (!("yaml" in question) || answer.output === undefined) return answer;
  return { output: canonicalJson(JSON.parse(answer.output)) };
}

/** What printf shows of a time or a version by a verb that is not for it is the inside of a Go struct. */
function showsStructs(question: Question): boolean {
  const text = "yaml" in question ? "" : render(question.template);
  return text.includes("printf") && /toDate|ToDate|semver|date_?modify/i.test(text);
}

/** By output and by rejection; the texts of parse errors count, those of functions and of readers of other formats do not. */
function differs({ go, ours }: Pick<Difference, "go" | "ours">): boolean {
  // Where one of us gave up, nothing is known.
  if (go.fatal || ours.fatal || go.error === "timeout" || go.error === "out of memory") return false;
  if (go.phase !== ours.phase || isError(go) !== isError(ours)) return true;
  if (isError(go) && go.phase !== "parse") return false;
  if (isUnreadable(go) && isUnreadable(ours)) return false;
  return (
    go.output !== ours.output ||
    go.outputBase64 !== ours.outputBase64 ||
    go.error !== ours.error ||
    go.errorBase64 !== ours.errorBase64
  );
}

function isError({ error, errorBase64 }: OracleAnswer): boolean {
  return error !== undefined || errorBase64 !== undefined;
}

const unreadable =
  /error (?:converting YAML to JSON|unmarshaling JSON)|toml: |invalid character|unexpected end of JSON/;

/** `fromYaml` and its like do not fail: they give what is wrong as a value. */
function isUnreadable({ output, outputBase64 }: OracleAnswer): boolean {
  return unreadable.test(output ?? Buffer.from(outputBase64 ?? "", "base64").toString());
}
