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
  const found = questions.flatMap((question, index) => {
    const answers = { go: comparable(question, go[index] ?? {}), ours: ours[index] ?? {} };
    return !showsAddresses(question) && differs(answers) ? { question, ...answers } : [];
  });
  const settled = await Promise.all(found.map((difference) => isSettled(difference, oracle)));
  return found.filter((_, index) => settled[index]);
}

/** Go walks through maps in any order: of two null keys in YAML, or of `1` and `"1"`, chance decides which one counts. */
async function isSettled({ question, ours }: Difference, oracle: Oracle): Promise<boolean> {
  const request = toRequest(question);
  const again = await Promise.all(Array.from({ length: 16 }, () => oracle.ask(request)));
  return again.every((answer) => differs({ go: comparable(question, answer), ours }));
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

/** What printf shows of a time or a version by a verb that asks no method of it may be an address. */
function showsAddresses(question: Question): boolean {
  const text = "yaml" in question ? "" : render(question.template);
  if (!text.includes("printf")) return false;
  const verbs = /semver/i.test(text) ? versionVerb : /toDate|date_?modify/i.test(text) ? timeVerb : undefined;
  return verbs?.test(text) === true;
}

const timeVerb = /%[-+# 0]*\d*(?:\.\d+)?[^-+# 0\d.vsqxXT%]/;
const versionVerb = new RegExp(`${timeVerb.source}|%[-+# 0]*#`);

/** By output, by rejection, and by the texts of errors. */
function differs({ go, ours }: Pick<Difference, "go" | "ours">): boolean {
  // Where one of us gave up, nothing is known.
  if (go.fatal || ours.fatal || go.error === "timeout" || go.error === "out of memory") return false;
  if (go.phase !== ours.phase || isError(go) !== isError(ours)) return true;
  if (isFaultyMerge(ours) && /yaml: /.test(go.error ?? go.output ?? "")) return false;
  return (
    go.output !== ours.output ||
    go.outputBase64 !== ours.outputBase64 ||
    go.error !== ours.error ||
    go.errorBase64 !== ours.errorBase64
  );
}

/** Of YAML with several faults, one of them in a list that `<<` merges, Go finds the last first. */
function isFaultyMerge({ output, error }: OracleAnswer): boolean {
  return /map merge requires map or sequence of maps as the value/.test(error ?? output ?? "");
}

function isError({ error, errorBase64 }: OracleAnswer): boolean {
  return error !== undefined || errorBase64 !== undefined;
}
