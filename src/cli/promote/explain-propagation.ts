import { systemClock } from "#base";
import { keyOf } from "#kube";
import { componentNames, Propagation, shortDigest, type StageStatus } from "#promotion";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { wrapText } from "../terminal/text-width.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { findPropagation } from "./get-propagations.ts";

export interface ExplainPropagationChoice extends ClusterChoice {
  readonly output: OutputFormat;
}

type Digests = Readonly<Record<string, string>>;

interface DatedDigests {
  /** By `repository:tag`. */
  readonly digests: Digests;
  readonly since: string;
}

interface ExplainedStage {
  readonly stage: string;
  readonly state: string;
  readonly since: string | undefined;
  readonly repository: string;
  readonly branch: string;
  readonly after: { readonly stage: string; readonly soak?: string } | undefined;
  readonly target: DatedDigests | undefined;
  readonly pullRequests: readonly { readonly number: number; readonly url: string; readonly state: string }[];
  readonly merged: DatedDigests | undefined;
  readonly running: DatedDigests | undefined;
  readonly health: { readonly state: string; readonly message?: string; readonly since: string } | undefined;
  readonly next: string;
}

interface ExplainedPropagation {
  readonly propagation: string;
  /** The condition `Ready`, in words. */
  readonly state: string;
  /** What the tags have; absent until they were read once. */
  readonly source?: DatedDigests;
  /** Names for people, by `repository:tag`. */
  readonly components: Readonly<Record<string, string>>;
  readonly stages: readonly ExplainedStage[];
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

/** The chain as a value, from what spec and status say. */
export function describePropagation(propagation: Propagation, key: string): ExplainedPropagation {
  const { spec, status } = propagation;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const source = status?.advertised && pickDated(status.advertised);
  return {
    propagation: key,
    state: spec.suspend ? `suspended: ${spec.suspend.reason}` : describeReady(ready),
    ...(source ? { source } : {}),
    components: componentNames(propagation),
    stages: spec.stages.map((stage): ExplainedStage => {
      const known = status?.stages?.find(({ name }) => name === stage.name);
      const { repository, branch, after } = stage;
      return {
        stage: stage.name,
        state: spec.suspend ? "Suspended" : (known?.state ?? "New"),
        since: known?.since,
        repository,
        branch,
        after,
        target: known?.target && pickDated(known.target),
        pullRequests: known?.proposals.flatMap(({ pullRequest }) => pullRequest ?? []) ?? [],
        merged: known?.merged && pickDated(known.merged),
        running: known?.running && pickDated(known.running),
        health: known?.health,
        next: spec.suspend ? "remove spec.suspend to go on" : nextStep(known, ready?.message),
      };
    }),
  };
}

function pickDated({ digests, since }: DatedDigests): DatedDigests {
  return { digests, since };
}

function describeReady(ready: { readonly status: string; readonly message?: string } | undefined): string {
  if (!ready) return "new: Tenon has not looked at it yet; check that `tenon run --only promote` runs";
  return ready.message ?? (ready.status === "True" ? "ready" : "not ready");
}

function nextStep(stage: StageStatus | undefined, problem: string | undefined): string {
  if (!stage) return problem ?? "Tenon looks at it first";
  if (stage.message !== undefined) return stage.message;
  return stage.state === "UpToDate" ? "nothing until a newer image is released" : "Tenon looks again";
}

function printChain(explained: ExplainedPropagation, output: "table" | "markdown", { stdout }: Shell): void {
  const width = (stdout.isTTY && stdout.columns) || Infinity;
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

function describeDigests(digests: Digests, components: Readonly<Record<string, string>>): string {
  return Object.entries(digests)
    .map(([image, digest]) => `${components[image] ?? image} ${shortDigest(digest)}`)
    .join(", ");
}
