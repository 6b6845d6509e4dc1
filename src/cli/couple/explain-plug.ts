import { z } from "zod";
import { describeError } from "#base";
import { type ExplainedMap, examineInputs, explainValues, type Plug, resolveResults, type Socket } from "#coupling";
import { type KubeClient, keyOf } from "#kube";
import { outputFormats } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { printRows, printValue } from "../terminal/print.ts";
import { advisePlug } from "./advise.ts";
import { readState } from "./coupled-state.ts";
import { findPair } from "./find-pair.ts";
import { describeWait } from "./get-coupled.ts";
import { readKey } from "./object-name.ts";
import { sideReaders } from "./side-readers.ts";
import { requireKinds, withClient } from "./with-client.ts";

const Choice = z.object({
  output: z.enum(outputFormats),
  context: z.string().exactOptional(),
  kubeconfig: z.string().exactOptional(),
});

interface Explanation {
  readonly plug: string;
  readonly socket: string;
  readonly state: string;
  readonly waitsFor?: string;
  readonly next?: string;
  /** What keeps the values from being used. */
  readonly problems: readonly string[];
  readonly maps: readonly ExplainedMap[];
}

/** `tenon explain plug/NAMESPACE/NAME`: where each value that plug and socket exchange came from. */
export async function explain(name: string, options: unknown, shell: Shell): Promise<void> {
  const choice = Choice.parse(options);
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireKinds(client, shell.signal);
    const pair = await findPair(readKey(name, ownNamespace), client, shell.signal);
    const explanation = await explainPair(pair, client, shell);
    if (choice.output === "json" || choice.output === "yaml") await printValue(explanation, choice.output, shell);
    else await printExplanation(explanation, choice.output, shell);
  });
}

async function explainPair(
  pair: { readonly plug: Plug; readonly socket: Socket },
  client: KubeClient,
  shell: Shell,
): Promise<Explanation> {
  const { plug, socket } = pair;
  const reader = sideReaders(pair, client);
  const inputs = await examineInputs(plug, socket, reader, {}, shell.signal);
  const results = await resolveResults(plug, socket, inputs, reader, {}, shell.signal).catch((error: unknown) => ({
    waiting: describeError(error),
  }));
  const isAnswered = plug.status?.pairing?.answered !== undefined;
  const state = readState(plug);
  const [waitsFor, next] = [describeWait(state), advisePlug(state, shell.env)];
  const ofApparatus = [plug, socket].filter(({ spec }) => spec.apparatus !== undefined).map(({ kind }) => kind);
  return {
    plug: keyOf(plug),
    socket: keyOf(socket),
    state: state.state,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(next === undefined ? {} : { next }),
    problems: [
      ...inputs.problems,
      ...inputs.unanswered.map((problem) => `unless its apparatus gives it: ${problem}`),
      ...("waiting" in results
        ? [`results${isAnswered ? ", unless its apparatus has answered it" : ""}: ${results.waiting}`]
        : []),
      ...ofApparatus.map((kind) => `what the apparatus of the ${kind} would answer is not asked for`),
    ],
    maps: explainValues(inputs, "waiting" in results ? undefined : results),
  };
}

interface Row {
  readonly map: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly overrode: string;
}

async function printExplanation(
  { plug, socket, state, waitsFor, next, problems, maps }: Explanation,
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
  if (next !== undefined) shell.stderr.write(`  next: ${next}\n`);
  await printRows({ rows, columns, whenEmpty: "they exchange nothing" }, output, shell);
  for (const problem of problems) shell.stderr.write(`problem: ${problem}\n`);
}
