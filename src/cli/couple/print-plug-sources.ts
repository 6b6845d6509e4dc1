import { z } from "zod";
import { explainPlug, type PlugExplanation } from "#coupling";
import { callAgain } from "../call-again.ts";
import { outputFormats } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";
import { parseObjectKey } from "./object-name.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";

const Choice = z.object({
  output: z.enum(outputFormats),
  context: z.string().exactOptional(),
  kubeconfig: z.string().exactOptional(),
});

/** `tenon explain plug/NAMESPACE/NAME`: prints where each value that plug and socket exchange comes from. */
export async function printPlugSources(name: string, options: unknown, shell: Shell): Promise<void> {
  const choice = Choice.parse(options);
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal);
    const key = parseObjectKey(name, ownNamespace);
    const explanation = await explainPlug(key, client, callAgain(shell.env), shell.signal);
    if (choice.output === "json" || choice.output === "yaml") await printDocument(explanation, choice.output, shell);
    else await printExplanation(explanation, choice.output, shell);
  });
}

interface Row {
  readonly map: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly overrode: string;
}

async function printExplanation(
  { plug, socket, state, waitsFor, next, role, binding, problems, maps }: PlugExplanation,
  output: "table" | "markdown",
  shell: Shell,
): Promise<void> {
  const rows = maps.flatMap(({ name, keys, dropped }): Row[] => [
    ...keys.map(({ key, value, source, overrode, isUnstable }) => {
      return {
        map: name,
        key,
        value,
        source: `${source}${isUnstable ? " (new each time)" : ""}`,
        overrode: overrode.join(", "),
      };
    }),
    ...dropped.map(({ key, source }) => ({
      map: name,
      key,
      value: "(dropped: not in the interface)",
      source,
      overrode: "",
    })),
  ]);
  const columns = (["map", "key", "value", "source", "overrode"] as const).map((header) => {
    return { header, value: (row: Row) => row[header] };
  });
  shell.stderr.write(`Plug ${plug} on Socket ${socket}: ${state}${waitsFor === undefined ? "" : `, ${waitsFor}`}\n`);
  if (binding !== undefined) shell.stderr.write(`  binding: ${binding}\n`);
  if (next !== undefined) shell.stderr.write(`  next: ${next}\n`);
  await printRows({ rows, columns, whenEmpty: "they exchange no values" }, output, shell);
  for (const problem of problems) shell.stderr.write(`problem: ${problem}\n`);
  if (role !== undefined) shell.stderr.write(`\nThis Role allows it; apply it with kubectl apply -f -:\n\n${role}\n`);
}
