import { expect, test } from "vitest";
import { InputError } from "#base";
import { seed } from "#seeded";
import { processTemplate } from "#template";
import { startOracle } from "../oracle.ts";
import { canonicalJson } from "../ours.ts";
import type { OracleAnswer, ProcessRequest } from "../requests.ts";
import { anyOpenshiftTemplate } from "./openshift-template.ts";
import { Random } from "./random.ts";

test(`generated Templates are processed as oc processes them (seed ${seed})`, { timeout: 1_200_000 }, async () => {
  await using oracle = await startOracle();
  const random = new Random(seed);
  const requests = random.times(5_000, () => anyOpenshiftTemplate(random));
  const answers = await Promise.all(requests.map((request) => oracle.ask(request)));
  for (const [index, answer] of answers.entries()) {
    const request = requests[index];
    // A parameter that is a number as a key makes oc crash, which is no answer.
    if (!request || answer.panic) continue;
    expect({ request, answer: processOurs(request) }).toEqual({ request, answer: comparable(answer) });
  }
});

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
