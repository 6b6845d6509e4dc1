import { expect, test } from "vitest";
import { InputError } from "#base";
import { seed } from "#seeded";
import { processTemplate } from "#template";
import { startOracle } from "../oracle.ts";
import { canonicalJson } from "../ours.ts";
import type { OracleAnswer, ProcessRequest } from "../requests.ts";
import { anyGeneratedFrom, anyOpenshiftTemplate } from "./openshift-template.ts";
import { Random } from "./random.ts";

test(`generated Templates are processed as oc processes them (seed ${seed})`, { timeout: 1_200_000 }, async () => {
  await using oracle = await startOracle();
  const random = new Random(seed);
  const requests = random.times(5_000, () => anyOpenshiftTemplate(random));
  const answers = await Promise.all(requests.map((request) => oracle.ask(request)));
  for (const [index, answer] of answers.entries()) {
    const request = requests[index];
    // A parameter that is a number as a key makes oc crash instead of answering.
    if (!request || answer.panic) continue;
    expect({ request, answer: processOurs(request) }).toEqual({ request, answer: comparable(answer) });
  }
});

test(`generated texts have the form that oc gives them (seed ${seed})`, async () => {
  await using oracle = await startOracle();
  const random = new Random(seed);
  const requests = random.times(2_000, () => fromRequest(anyGeneratedFrom(random)));
  const answers = await Promise.all(requests.map((request) => oracle.ask(request)));
  for (const [index, { output, panic }] of answers.entries()) {
    const request = requests[index];
    // A set of one character is empty for oc, and it crashes.
    if (!request || panic) continue;
    const texts = Array.from({ length: 100 }, (_, chosen) => generateOurs(request, chosen));
    const generated: unknown = output === undefined ? undefined : JSON.parse(output).message;
    expect({ request, texts, fits: fits(texts, generated) }).toEqual({ request, texts, fits: true });
  }
});

function fromRequest(from: string): ProcessRequest {
  const parameters = [{ name: "P", generate: "expression", from }];
  return { op: "process", template: { kind: "Template", message: "${P}", parameters, objects: [] } };
}

/** What we generate where chance chooses the same character of each set. */
function generateOurs({ template }: ProcessRequest, chosen: number): string | undefined {
  try {
    return processTemplate(template, { random: (bound) => chosen % bound }).message;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** Whether each character of a generated text is one that we generate in its place, or both refuse. */
function fits(texts: readonly (string | undefined)[], generated: unknown): boolean {
  if (typeof generated !== "string") return texts.every((text) => text === undefined);
  return (
    texts.every((text) => text?.length === generated.length) &&
    generated.split("").every((character, at) => texts.some((text) => text?.[at] === character))
  );
}

function processOurs({ template, parameters = {} }: ProcessRequest): string {
  try {
    const { objects, message } = processTemplate(template, { parameters });
    return canonicalJson({ objects, message: message ?? "" });
  } catch (error) {
    if (error instanceof InputError) return "refused";
    throw error;
  }
}

function comparable({ output }: OracleAnswer): string {
  return output === undefined ? "refused" : canonicalJson(JSON.parse(output));
}
