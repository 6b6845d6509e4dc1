import { z } from "zod";
import { InputError, redact } from "#base";
import { describeRef } from "#kube";
import { type ExplainedSnapshot, type ExplainedTest, explainSnapshot, isTrouble, Snapshot } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import { outputFormats } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";

const Choice = z.object({
  output: z.enum(outputFormats),
  context: z.string().exactOptional(),
  kubeconfig: z.string().exactOptional(),
  instance: z.string().exactOptional(),
});

/** `tenon explain snapshot/NAMESPACE/NAME`: from which build, with which images, and how each test went. */
export async function printSnapshot(name: string, options: unknown, shell: Shell): Promise<void> {
  const choice = Choice.parse(options);
  const explained = await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Snapshot]);
    const { apiVersion, kind } = Snapshot;
    const ref = { apiVersion, kind, ...parseObjectKey(name, ownNamespace) };
    const found = await client.find(ref, shell.signal);
    if (!found) {
      throw new InputError(`${describeRef(ref)} not found`, {
        next: "`tenon get snapshots --all-namespaces` lists all",
      });
    }
    return await explainSnapshot(found, client, shell.signal);
  });
  if (choice.output === "json" || choice.output === "yaml") await printDocument(explained, choice.output, shell);
  else shell.stdout.write(redact(describeSnapshot(explained)));
}

function describeSnapshot({
  snapshot,
  owner,
  from,
  state,
  message,
  next,
  components,
  tests,
}: ExplainedSnapshot): string {
  const lines = [
    `${snapshot}: ${state}${message === undefined ? "" : `, ${message}`}`,
    ...(next === undefined || next === message ? [] : [`next: ${next}`]),
    "",
    `of ${owner}, from ${from}`,
    ...components.flatMap(({ name, image, role, commit }) => [
      `  ${name} (${role}${commit === undefined ? "" : `, commit ${commit}`})`,
      `    ${image}`,
    ]),
    "",
    tests.length === 0 ? "no tests" : "tests",
    ...tests.toSorted((one, other) => Number(isTrouble(other)) - Number(isTrouble(one))).flatMap(describeTest),
  ];
  return `${lines.map(safeText).join("\n")}\n`;
}

function describeTest({ scenario, status, isOptionalScenario, details, log = [], next }: ExplainedTest): string[] {
  return [
    `  ${scenario}${isOptionalScenario ? " (optional)" : ""}: ${status}`,
    `    ${details}`,
    ...log.map((line) => `    | ${line}`),
    ...(next === undefined ? [] : [`    next: ${next}`]),
  ];
}
