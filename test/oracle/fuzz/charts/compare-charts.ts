import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ChartAnswer, ChartRequest, Oracle } from "../../index.ts";
import type { ChartFile } from "#template";
import { assembleChart } from "../../../../src/template/helm/chart/load-chart.ts";
import { answerWith, comparable } from "../../../charts/renderings.ts";
import type { ChartQuestion } from "./any-chart.ts";

export interface ChartDifference {
  readonly question: ChartQuestion;
  readonly helm: ChartAnswer;
  readonly ours: ChartAnswer;
}

/** Asks Helm and us, at the same time, and gives the charts that we make something else of. */
export async function findChartDifferences(
  questions: readonly ChartQuestion[],
  oracle: Oracle,
): Promise<ChartDifference[]> {
  const asked = Promise.all(questions.map((question) => oracle.ask(toRequest(question))));
  await setImmediate(); // when they are sent
  const answers = questions.map((question) => withPlainNames(answerOurs(question)));
  const helms = (await asked).map((answer) => withPlainNames(comparable(answer)));
  return questions.flatMap((question, index) => {
    const [helm = {}, answer = {}] = [helms[index], answers[index]];
    // Of some errors we say the same in other words, or more.
    const ours = answer.error === "" && helm.error !== undefined ? helm : answer;
    return isDeepStrictEqual(helm, ours) ? [] : { question, helm, ours };
  });
}

function answerOurs(question: ChartQuestion): ChartAnswer {
  return comparable(answerWith(() => chartOf(question), question.options));
}

/** A hook whose name is a number is called 1e+06 by Helm, and 1000000 by us. */
function withPlainNames(answer: ChartAnswer): ChartAnswer {
  if (!answer.hooks) return answer;
  return { ...answer, hooks: answer.hooks.map((hook) => ({ ...hook, name: plainNumber(hook.name) })) };
}

function plainNumber(text: string): string {
  return /^[\d.e+]+$/.test(text) ? `${Number(text)}` : text;
}

function toRequest({ files, options }: ChartQuestion): ChartRequest {
  const texts = Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString("base64")] as const);
  return { op: "chart", files: Object.fromEntries(texts), ...options };
}

function chartOf({ files }: ChartQuestion): ReturnType<typeof assembleChart> {
  const sorted = Object.keys(files).toSorted();
  return assembleChart(
    sorted.map((name): ChartFile => ({ name, data: Buffer.from(files[name] ?? ""), origin: name })),
    "chart",
  );
}

/** The smallest chart found that still shows a difference: without files, options, or lines. */
export async function shrinkChartDifference(difference: ChartDifference, oracle: Oracle): Promise<ChartDifference> {
  let smallest = difference;
  for (;;) {
    const smaller = await findSmaller(smallest, oracle);
    if (!smaller) return smallest;
    smallest = smaller;
  }
}

async function findSmaller({ question }: ChartDifference, oracle: Oracle): Promise<ChartDifference | undefined> {
  let batch: ChartQuestion[] = [];
  for (const candidate of smallerQuestions(question)) {
    batch.push(candidate);
    if (batch.length < 16) continue;
    const [found] = await findChartDifferences(batch, oracle);
    if (found) return found;
    batch = [];
  }
  return (await findChartDifferences(batch, oracle))[0];
}

function* smallerQuestions({ files, options }: ChartQuestion): Generator<ChartQuestion> {
  const paths = Object.keys(files);
  const folders = paths.flatMap((path) => Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index + 1)));
  for (const folder of new Set([...folders, ...paths]))
    yield { files: without(files, (path) => path.startsWith(folder)), options };
  for (const option of Object.keys(options)) yield { files, options: without(options, (name) => name === option) };
  for (const [path, text] of Object.entries(files)) {
    const lines = text.split("\n");
    for (let size = lines.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at < lines.length; at += size) {
        yield { files: { ...files, [path]: lines.toSpliced(at, size).join("\n") }, options };
      }
    }
  }
}

function without<T extends object>(object: T, isUnwanted: (key: string) => boolean): T {
  const kept: T = { ...object };
  for (const key of Object.keys(object)) if (isUnwanted(key)) Reflect.deleteProperty(kept, key);
  return kept;
}

/** For people: the files, what they are rendered with, and what was said. */
export function describeChartDifference({ question, helm, ours }: ChartDifference): string {
  const files = Object.entries(question.files).map(([path, text]) => `=== ${path}\n${text}`);
  const rest = { options: question.options, helm, ours };
  return `${files.join("\n")}\n===\n${JSON.stringify(rest, undefined, 2)}`;
}
