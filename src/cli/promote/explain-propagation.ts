import { systemClock } from "#base";
import { keyOf } from "#kube";
import {
  type DatedDigests,
  describePropagation,
  type ExplainedPropagation,
  Propagation,
  shortDigest,
} from "#promotion";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { lineLimit, wrapText } from "../terminal/text-width.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { findPropagation } from "./get-propagations.ts";

export interface ExplainPropagationChoice extends ClusterChoice {
  readonly output: OutputFormat;
}

/** `tenon explain propagation/NAMESPACE/NAME`: the way of an image from its tag through the stages. */
export async function explainPropagation(name: string, choice: ExplainPropagationChoice, shell: Shell): Promise<void> {
  const object = await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Propagation]);
    return findPropagation(client, name, ownNamespace, shell.signal);
  });
  const explained = describePropagation(Propagation.parse(object), keyOf(object));
  if (choice.output === "json" || choice.output === "yaml") await printDocument(explained, choice.output, shell);
  else printChain(explained, choice.output, shell);
}

function printChain(explained: ExplainedPropagation, output: "table" | "markdown", { stdout }: Shell): void {
  const width = lineLimit(stdout);
  const isMarkdown = output === "markdown";
  const say = (label: string, text: string) => {
    const line = `${label}: ${visibleText(text)}`;
    stdout.write(`${isMarkdown ? `- ${line}` : wrapText(line, width, "  ")}\n`);
  };
  const title = (text: string) => stdout.write(`${isMarkdown ? `### ${text}\n` : text}\n`);
  const now = systemClock.now();
  const dated = ({ digests, since }: DatedDigests) =>
    `${describeDigests(digests, explained.components)}, since ${describeAge(since, now)}`;
  title(`Propagation ${explained.propagation}`);
  say("state", explained.state);
  for (const [image, component] of Object.entries(explained.components)) {
    const digest = explained.source?.digests[image];
    const has = digest === undefined ? "not read yet" : `is ${shortDigest(digest)}`;
    const since = explained.source ? `, since ${describeAge(explained.source.since, now)}` : "";
    say("source", `${component}: ${image} ${has}${since}`);
  }
  for (const stage of explained.stages) {
    stdout.write("\n");
    const age = stage.since === undefined ? "" : ` since ${describeAge(stage.since, now)}`;
    title(`Stage ${stage.stage}: ${stage.state}${age}`);
    say("in", `branch ${stage.branch} of ${stage.repository}`);
    if (stage.after) {
      const soak = stage.after.soak === undefined ? "" : `, which must soak for ${stage.after.soak}`;
      say("after", `stage ${stage.after.stage}${soak}`);
    }
    if (stage.target) say("gets", dated(stage.target));
    for (const { number, state, url } of stage.pullRequests)
      say("proposed", `pull request ${number}, ${state}: ${url}`);
    say("merged", stage.merged ? dated(stage.merged) : "nothing yet");
    if (stage.running) say("running", dated(stage.running));
    if (stage.health) {
      const why = stage.health.message === undefined ? "" : `: ${stage.health.message}`;
      say("health", `${stage.health.state}, since ${describeAge(stage.health.since, now)}${why}`);
    }
    say("next", stage.next);
  }
}

function describeDigests(digests: DatedDigests["digests"], components: Readonly<Record<string, string>>): string {
  return Object.entries(digests)
    .map(([image, digest]) => `${components[image] ?? image} ${shortDigest(digest)}`)
    .join(", ");
}
