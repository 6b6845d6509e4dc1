import { type ReleaseChain, shortDigest } from "#promotion";
import { describeAge } from "../terminal/describe-age.ts";
import { shortImage } from "./short-image.ts";

/** A label, and what there is to say. */
export type ChainLine = readonly [label: string, text: string];

/** How many workloads are named; the others are counted. JSON has all. */
const shownRollouts = 3;

/** The chain in the order in which it happens: of three components and two stages it fits a terminal of 80 by 24. */
export function describeChain(chain: ReleaseChain, now: number): ChainLine[] {
  const ago = (time: string | undefined) => (time === undefined ? "" : `, ${describeAge(time, now)} ago`);
  const by = chain.author === undefined ? "" : `, ${chain.author} answers for it`;
  return [
    ...chain.commits.map((commit): ChainLine => ["image", describeImage(commit)]),
    ["build", `${chain.build.from}${ago(chain.build.ended ?? chain.build.started)}${lasted(chain.build)}`],
    ["snapshot", `${chain.snapshot.name}, ${chain.snapshot.state}${ago(chain.snapshot.since)}`],
    ...chain.tests.map(
      (test): ChainLine => ["test", `${test.scenario}, ${test.status}${ago(test.ended)}${lasted(test)}`],
    ),
    ["release", `by plan ${chain.plan}, ${chain.automated ? "by itself" : "by a person"}${by}${ago(chain.created)}`],
    ...chain.phases.flatMap(({ phase, state, since, message }): ChainLine[] => {
      if (state === "Skipped") return [];
      const [first = ""] = (message ?? "").split("\n", 1);
      return [[phase, `${state}${ago(since)}${state === "Succeeded" || first === "" ? "" : `: ${first}`}`]];
    }),
    ...describeTags(chain.tags),
    ...chain.stages.flatMap((stage): ChainLine[] => [
      ["stage", `${stage.stage} of ${stage.propagation}, ${stage.state}${ago(stage.since)}`],
      ...stage.pullRequests.map(({ number, state, url }): ChainLine => ["pull request", `${number}, ${state}: ${url}`]),
      ...(stage.merged === undefined ? [] : [["merged", describeMerged(stage.merged, stage.running, now)] as const]),
    ]),
    ...describeRollouts(chain.rollouts, ago),
    ["waits for", chain.waitsFor],
  ];
}

function describeImage({ component, image, commit, repository }: ReleaseChain["commits"][number]): string {
  if (commit === undefined) return `${component} ${shortImage(image)}`;
  const short = /^[0-9a-f]{40,}$/.test(commit) ? commit.slice(0, 7) : commit;
  return `${component} ${shortImage(image)}, commit ${short}${repository === undefined ? "" : ` of ${repository}`}`;
}

/** Components with the same tags share a line. */
function describeTags(tags: ReleaseChain["tags"]): ChainLine[] {
  const [first] = tags;
  if (first && tags.length === 1)
    return [["tags", `${first.component} ${shortDigest(first.digest)} is ${first.tags.join(", ")}`]];
  const groups = Object.groupBy(tags, (each) => each.tags.map((tag) => tag.replace(/^.*:/, "")).join(", "));
  return Object.entries(groups).map(([names, group = []]) => [
    "tags",
    `${group.map(({ component, digest }) => `${component} ${shortDigest(digest)}`).join(", ")} ${group.length === 1 ? "is" : "are"} ${names}`,
  ]);
}

function describeMerged(merged: string, running: string | undefined, now: number): string {
  const runs = running === undefined ? "" : `, runs since ${describeAge(running, now)}`;
  return `${describeAge(merged, now)} ago${runs}`;
}

function describeRollouts(rollouts: ReleaseChain["rollouts"], ago: (time: string | undefined) => string): ChainLine[] {
  const shown = rollouts.slice(0, shownRollouts).map(({ object, component, state, since }): ChainLine => {
    const how = state === "Running" ? "" : state === "Failed" ? ", which fails" : ", which rolls out";
    return ["runs in", `${object}: ${component}${how}${ago(since)}`];
  });
  const more = rollouts.length - shown.length;
  return more === 0 ? shown : [...shown, ["runs in", `${more} more; -o json has all`]];
}

function lasted({ started, ended }: { readonly started?: string; readonly ended?: string }): string {
  if (started === undefined || ended === undefined) return "";
  return `, took ${describeAge(started, Date.parse(ended))}`;
}
