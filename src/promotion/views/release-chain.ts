import { isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Propagation } from "../kinds/propagation.ts";
import { type DatedDigests, describePropagation, type ExplainedPropagation } from "./describe-propagation.ts";
import type { LiveRollout } from "./find-rollouts.ts";
import { type ReleasePhaseView, type ShownReleaseState, viewRelease } from "./release-view.ts";
import { readSnapshotState, type SnapshotState, type SnapshotView } from "./snapshot-state.ts";

interface ChainCommit {
  readonly component: string;
  readonly image: string;
  readonly commit?: string;
  readonly repository?: string;
}

interface ChainTest {
  readonly scenario: string;
  readonly status: string;
  readonly started?: string;
  readonly ended?: string;
}

interface ChainTags {
  readonly component: string;
  readonly digest: string;
  readonly tags: readonly string[];
}

interface ChainStage {
  readonly propagation: string;
  readonly stage: string;
  readonly state: string;
  readonly since: string | undefined;
  readonly pullRequests: readonly { readonly number: number; readonly url: string; readonly state: string }[];
  /** Since when its base branch has the digests of this Release; absent while it has others. */
  readonly merged?: string;
  /** Since when its `health` objects run them. */
  readonly running?: string;
  /** What its `health` objects lack. */
  readonly health?: string;
  readonly next: string;
}

/** A workload of this cluster that has an image of the Release. */
interface ChainRollout extends LiveRollout {
  readonly component: string;
}

/** Everything between a commit and the workloads that run what was built of it. */
export interface ReleaseChain {
  readonly release: string;
  readonly state: ShownReleaseState;
  readonly plan: string;
  readonly author?: string;
  readonly automated: boolean;
  readonly commits: readonly ChainCommit[];
  readonly build: { readonly from: string; readonly started?: string; readonly ended?: string };
  readonly snapshot: { readonly name: string; readonly state: SnapshotState | "Deleted"; readonly since?: string };
  readonly tests: readonly ChainTest[];
  readonly created: string;
  readonly ended?: string;
  readonly phases: readonly ReleasePhaseView[];
  readonly tags: readonly ChainTags[];
  readonly stages: readonly ChainStage[];
  readonly rollouts: readonly ChainRollout[];
  readonly waitsFor: string;
}

function testOf({ scenario, status, startTime, completionTime }: SnapshotView["tests"][number]): ChainTest {
  return {
    scenario,
    status,
    ...(startTime === undefined ? {} : { started: startTime }),
    ...(completionTime === undefined ? {} : { ended: completionTime }),
  };
}

/** The chain as a value, from what the objects say. */
export function chainOf(
  release: KubeObject,
  snapshot: KubeObject | undefined,
  propagations: readonly KubeObject[],
  rollouts: readonly LiveRollout[] = [],
): ReleaseChain {
  const { state, plan, author, automated, created, phases, phase, next } = viewRelease(release);
  const status = isRecord(release["status"]) ? release["status"] : {};
  const tags = tagsIn(status["artifacts"]);
  const moved = new Map(tags.flatMap(({ digest, tags: each }) => each.map((tag) => [tag, digest])));
  const stages = propagations.flatMap((propagation) => stagesOf(propagation, moved));
  const commits = commitsIn(snapshot);
  const running = rollouts.flatMap((rollout) => {
    const component = componentOf(rollout.digest, tags, commits);
    return component === undefined ? [] : [{ component, ...rollout }];
  });
  const tested = snapshot && readSnapshotState(snapshot);
  const ended = textIn(status["completionTime"]);
  return {
    release: keyOf(release),
    state,
    plan,
    ...(author === undefined ? {} : { author }),
    automated,
    commits,
    build: buildOf(snapshot),
    snapshot: {
      name: viewRelease(release).snapshot,
      state: tested?.state ?? "Deleted",
      ...(tested?.since === undefined ? {} : { since: tested.since }),
    },
    tests: (tested?.tests ?? []).map(testOf),
    created,
    ...(ended === undefined ? {} : { ended }),
    phases,
    tags,
    stages,
    rollouts: running,
    waitsFor: next ?? waitOf(state, phase, stages, running),
  };
}

function componentOf(digest: string, tags: readonly ChainTags[], commits: readonly ChainCommit[]): string | undefined {
  const tagged = tags.find((each) => each.digest === digest);
  return (tagged ?? commits.find(({ image }) => image.endsWith(`@${digest}`)))?.component;
}

/** The digests that the images of a Release are released under, which may be in other repositories than they were built in. */
export function digestsIn(release: KubeObject, snapshot: KubeObject | undefined): Set<string> {
  const status = isRecord(release["status"]) ? release["status"] : {};
  const built = commitsIn(snapshot).map(({ image }) => image.replace(/^[^@]*@?/, ""));
  return new Set([...tagsIn(status["artifacts"]).map(({ digest }) => digest), ...built]);
}

function waitOf(
  state: ShownReleaseState,
  phase: string | undefined,
  stages: readonly ChainStage[],
  rollouts: readonly ChainRollout[],
): string {
  if (state !== "Released") return phase === undefined ? "Tenon to go on" : `the end of the ${phase}`;
  const open = stages.flatMap(({ stage, pullRequests }) =>
    pullRequests
      .filter((each) => each.state === "open")
      .map(({ number, url }) => `pull request ${number} of stage ${stage} to be merged: ${url}`),
  );
  if (open.length > 0) return open.join("; ");
  if (stages.length === 0) return "nothing; no Propagation follows its tags";
  const held = stages.filter(({ state: each }) => each !== "UpToDate");
  if (held.length > 0) return held.map(({ stage, next }) => `stage ${stage}: ${next}`).join("; ");
  const unhealthy = stages.flatMap(({ stage, health }) => (health === undefined ? [] : [`stage ${stage}: ${health}`]));
  const rolling = rollouts.flatMap(({ object, message }) => (message === undefined ? [] : [`${object}: ${message}`]));
  return [...unhealthy, ...rolling][0] ?? "nothing";
}

type Fields = Readonly<Record<string, unknown>>;

function commitsIn(snapshot: KubeObject | undefined): ChainCommit[] {
  const { components } = isRecord(snapshot?.["spec"]) ? snapshot["spec"] : {};
  return (Array.isArray(components) ? components.filter(isRecord) : []).map(commitOf);
}

function commitOf(row: Fields): ChainCommit {
  const git = isRecord(row["source"]) && isRecord(row["source"]["git"]) ? row["source"]["git"] : {};
  const [commit, repository] = [textIn(git["revision"]), textIn(git["url"])];
  return {
    component: String(row["name"]),
    image: String(row["containerImage"]),
    ...(commit === undefined ? {} : { commit }),
    ...(repository === undefined ? {} : { repository }),
  };
}

function buildOf(snapshot: KubeObject | undefined): ReleaseChain["build"] {
  const { labels = {}, annotations = {} } = snapshot?.metadata ?? {};
  const run = labels[promotionLabels.buildRun];
  const declared = labels[promotionLabels.declaredBuild] === undefined ? "a person" : "another CI";
  const started = timeOf(annotations[promotionAnnotations.buildStarted]);
  const ended = timeOf(labels[promotionLabels.buildFinished]);
  return {
    from: run === undefined ? declared : `PipelineRun ${run}`,
    ...(started === undefined ? {} : { started }),
    ...(ended === undefined ? {} : { ended }),
  };
}

/** Values up to this one are seconds. */
const largestSeconds = 10_000_000_000;

function timeOf(text: string | undefined): string | undefined {
  const given = Number(text ?? Number.NaN);
  if (!Number.isFinite(given) || given <= 0) return undefined;
  return new Date(given <= largestSeconds ? given * 1_000 : given).toISOString();
}

function tagsIn(artifacts: unknown): ChainTags[] {
  const images = isRecord(artifacts) && Array.isArray(artifacts["images"]) ? artifacts["images"].filter(isRecord) : [];
  return images.map(({ name, shasum, urls }) => ({
    component: String(name),
    digest: String(shasum),
    tags: (Array.isArray(urls) ? urls : []).map(String),
  }));
}

function stagesOf(object: KubeObject, moved: ReadonlyMap<string, string>): ChainStage[] {
  const { propagation, components, stages } = describePropagation(Propagation.parse(object), keyOf(object));
  const followed = Object.keys(components).filter((image) => moved.has(image));
  if (followed.length === 0) return [];
  const since = (dated: DatedDigests | undefined) =>
    dated && followed.every((image) => dated.digests[image] === moved.get(image)) ? dated.since : undefined;
  return stages.map((stage) => chainStage(propagation, stage, since(stage.merged), since(stage.running)));
}

function chainStage(
  propagation: string,
  { stage, state, since, pullRequests, health, next }: ExplainedPropagation["stages"][number],
  merged: string | undefined,
  running: string | undefined,
): ChainStage {
  const isWaiting = merged !== undefined && running === undefined && health !== undefined;
  return {
    propagation,
    stage,
    state,
    since,
    pullRequests,
    ...(merged === undefined ? {} : { merged }),
    ...(running === undefined ? {} : { running }),
    ...(isWaiting ? { health: health.message ?? `its health is ${health.state}` } : {}),
    next,
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
