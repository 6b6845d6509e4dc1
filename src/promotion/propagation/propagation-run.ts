import { mkdir } from "node:fs/promises";
import { type Clock, describeError, InputError, type Logger } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject, refOf } from "#kube";
import type { TrackedStatus } from "#runtime";
import type { Propagation, PropagationStage, ProposalStatus, StageStatus } from "../kinds/propagation.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { type AdvertisedImage, imageComponent, imageName } from "./advertised-image.ts";
import { explainStageError } from "./explain-propagation-error.ts";
import { type JudgedHealth, judgeHealth, worstOf } from "./judge-health.ts";
import type { LookSchedule } from "./look-schedule.ts";
import type { propagationMetrics } from "./propagation-metrics.ts";
import type { AdvertisedSource } from "./read-source.ts";
import { defaultBranchPrefix, type SettledProposal, settleProposal } from "./settle-proposal.ts";
import { accountClient, openStageAccess } from "./stage-access.ts";
import {
  needsLook,
  recordDigests,
  runsMerged,
  stampStage,
  summariseStage,
  trackHealth,
  trackMerged,
} from "./stage-progress.ts";
import { decideTarget, digestsOf, type StageTarget } from "./stage-target.ts";

export interface PropagationRunDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ReturnType<typeof propagationMetrics>;
  readonly looks: LookSchedule;
  /** A directory for copies of git repositories. */
  readonly cache: string;
}

/** How often objects are asked for their health while a stage waits for them. */
const healthIntervalMs = 30_000;

/** One reconcile: the stages as they become known. */
export class PropagationRun {
  readonly failures: unknown[] = [];
  readonly #key: string;
  readonly #propagation: Propagation;
  readonly #source: AdvertisedSource;
  readonly #status: TrackedStatus;
  readonly #deps: PropagationRunDeps;
  readonly #stages: Map<string, StageStatus>;
  readonly #isForced: boolean;
  #dueAt: number | undefined;

  constructor(
    key: string,
    propagation: Propagation,
    source: AdvertisedSource,
    status: TrackedStatus,
    deps: PropagationRunDeps,
  ) {
    const { generation } = propagation.metadata;
    this.#key = key;
    this.#propagation = propagation;
    this.#source = source;
    this.#status = status;
    this.#deps = deps;
    this.#stages = new Map(propagation.status?.stages?.map((stage) => [stage.name, stage]));
    this.#isForced = deps.looks.take(key) || propagation.status?.observedGeneration !== generation;
  }

  /** When the next reconcile is due because a wait ends, in milliseconds since 1970. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  /** Puts what is known into the status, without writing it. */
  publish(): void {
    const { spec, status } = this.#propagation;
    const advertised = recordDigests(status?.advertised, digestsOf(this.#source.images), this.#deps.clock.now());
    const stages = spec.stages.flatMap(({ name }) => this.#stages.get(name) ?? []);
    this.#status.set({ advertised, stages });
  }

  summary(): string {
    const { stages } = this.#propagation.spec;
    return stages.map(({ name }) => `${name}: ${this.#stages.get(name)?.state ?? "Waiting"}`).join(", ");
  }

  /** Failures of one stage do not stop the others. */
  async advance(stage: PropagationStage, signal: AbortSignal): Promise<void> {
    const { clock, metrics, log } = this.#deps;
    const now = clock.now();
    const before = this.#stages.get(stage.name);
    try {
      this.#stages.set(stage.name, stampStage(await this.#examine(stage, before, signal), before, now));
    } catch (thrown) {
      signal.throwIfAborted();
      const error = explainStageError(thrown, stage);
      const known = this.#stages.get(stage.name);
      const message = describeError(error);
      this.failures.push(error);
      metrics(stage.forge.kind).ended("failed");
      log.debug("stage failed", { propagation: this.#key, stage: stage.name, error });
      const failed = {
        ...known,
        name: stage.name,
        state: "Failed",
        message,
        proposals: known?.proposals ?? [],
      } as const;
      this.#stages.set(stage.name, stampStage(failed, before, now));
    }
  }

  async #examine(
    stage: PropagationStage,
    before: StageStatus | undefined,
    signal: AbortSignal,
  ): Promise<Omit<StageStatus, "since">> {
    const now = this.#deps.clock.now();
    const target = this.#targetOf(stage, before, now);
    const { gate, images } = target;
    if (gate.kind === "waiting") this.#wakeAt(gate.dueAt ?? now + healthIntervalMs);
    if (!images) {
      const { since: _, ...kept } = before ?? { proposals: [] };
      return { ...kept, ...summariseStage([], target), name: stage.name, proposals: kept.proposals };
    }
    const record = recordDigests(before?.target, digestsOf(images), now);
    const isDue = this.#isForced || needsLook(stage, before, record);
    const settled = isDue ? await this.#look(stage, before, { ...target, images }, record, signal) : [];
    if (isDue) checkReferenced(stage, images, settled);
    const tracked = isDue ? trackMerged(before, settled, target.rollback, now) : pickMerged(before);
    const proposals = isDue ? settled.map((each) => each.status) : (before?.proposals ?? []);
    this.#countMerged(stage, before, proposals);
    const head = settled.at(-1)?.baseHead;
    const health = await this.#trackHealth(stage, { ...before, ...tracked }, head, before, signal);
    return {
      name: stage.name,
      ...summariseStage(proposals, target),
      target: record,
      ...(target.rollback ? { rollback: target.rollback } : {}),
      ...tracked,
      ...health,
      proposals,
    };
  }

  #targetOf(stage: PropagationStage, before: StageStatus | undefined, now: number): StageTarget {
    const upstream = this.#propagation.spec.stages.find(({ name }) => name === stage.after?.stage);
    return decideTarget({
      stage,
      advertised: this.#source.images,
      before,
      upstream: upstream && { stage: upstream, status: this.#stages.get(upstream.name) },
      now,
    });
  }

  async #look(
    stage: PropagationStage,
    before: StageStatus | undefined,
    target: StageTarget & { readonly images: readonly AdvertisedImage[] },
    record: NonNullable<StageStatus["target"]>,
    signal: AbortSignal,
  ): Promise<SettledProposal[]> {
    const { cache, clock, log, metrics } = this.#deps;
    await mkdir(cache, { recursive: true, mode: 0o700 });
    await using access = await openStageAccess(this.#propagation, stage, this.#deps, signal);
    const hold = holdOf(target);
    const settled: SettledProposal[] = [];
    for (const { branch, images } of groupsOf(this.#propagation, stage, target.images)) {
      const remembered = this.#stages.get(stage.name)?.proposals ?? before?.proposals ?? [];
      const outcome = await settleProposal(
        {
          propagation: this.#propagation,
          stage,
          branch,
          images,
          isRollback: target.isRollback,
          releases: this.#source.releases,
          since: Date.parse(record.since),
          hold,
        },
        remembered.find((proposal) => proposal.branch === branch),
        {
          access,
          cache,
          clock,
          log: log.child({ propagation: this.#key }),
          metrics: metrics(stage.forge.kind),
          readSnapshots: (names, until) => this.#readSnapshots(names, until),
          remember: (memory) => this.#remember(stage, before, record, memory),
        },
        signal,
      );
      settled.push(outcome);
      if (outcome.dueAt !== undefined) this.#wakeAt(outcome.dueAt);
    }
    return settled;
  }

  /** What the service account may not read is left out: it is for people only. */
  async #readSnapshots(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, KubeObject>> {
    const client = accountClient(this.#propagation, this.#deps.client);
    const { namespace = "" } = this.#propagation.metadata;
    const { apiVersion, kind } = Snapshot;
    const found = await Promise.all(
      names.map(async (name) => {
        const snapshot = await client.find({ apiVersion, kind, namespace, name }, signal).catch(absentIfRefused);
        return snapshot ? [[name, snapshot] as const] : [];
      }),
    );
    return new Map(found.flat());
  }

  /** Written before anything is done that a killed process must know of later. */
  async #remember(
    stage: PropagationStage,
    before: StageStatus | undefined,
    target: NonNullable<StageStatus["target"]>,
    memory: ProposalStatus,
  ): Promise<void> {
    const known = this.#stages.get(stage.name) ?? before;
    const others = known?.proposals.filter(({ branch }) => branch !== memory.branch) ?? [];
    const draft = { ...known, name: stage.name, state: known?.state ?? "Waiting", target } as const;
    const next = { ...draft, proposals: [...others, { ...memory, state: "Waiting" as const }] };
    this.#stages.set(stage.name, stampStage(next, before, this.#deps.clock.now()));
    this.publish();
    await this.#status.write();
    if (this.#status.isGone) throw new Error(`${describeRef(refOf(this.#status.object))} was deleted`);
    if (this.#status.isWithheld) throw new Error("another replica leads now");
  }

  #countMerged(stage: PropagationStage, before: StageStatus | undefined, proposals: readonly ProposalStatus[]): void {
    for (const { branch, pullRequest } of proposals) {
      const was = before?.proposals.find((one) => one.branch === branch)?.pullRequest;
      if (pullRequest?.state === "merged" && was?.state === "open")
        this.#deps.metrics(stage.forge.kind).ended("merged");
    }
  }

  async #trackHealth(
    stage: PropagationStage,
    tracked: Pick<StageStatus, "merged" | "running">,
    baseHead: string | undefined,
    before: StageStatus | undefined,
    signal: AbortSignal,
  ): Promise<Pick<StageStatus, "health" | "running">> {
    if (!stage.health || stage.health.length === 0) return {};
    const { merged } = tracked;
    // Once it was seen to run, later commits that do not concern it may be applied.
    const known = runsMerged(tracked) ? [] : [merged?.commit, baseHead];
    const commits = known.flatMap((commit) => commit ?? []);
    const client = accountClient(this.#propagation, this.#deps.client);
    const namespace = this.#propagation.metadata.namespace ?? "";
    const judged = await Promise.all(
      stage.health.map((ref) => readHealth(client, { namespace, ...ref }, { merged, commits }, signal)),
    );
    const next = trackHealth(before, merged, worstOf(judged), this.#deps.clock.now());
    if (next.health?.state !== "Healthy" || !runsMerged({ ...tracked, ...next })) {
      this.#wakeAt(this.#deps.clock.now() + healthIntervalMs);
    }
    return next;
  }

  #wakeAt(dueAt: number): void {
    this.#dueAt = Math.min(this.#dueAt ?? dueAt, dueAt);
  }
}

function pickMerged(before: StageStatus | undefined): Pick<StageStatus, "merged" | "history"> {
  const { merged, history } = before ?? {};
  return { ...(merged ? { merged } : {}), ...(history ? { history } : {}) };
}

/** A stage goes back whatever the stage before it does. */
function holdOf({ gate, isRollback }: StageTarget): string | undefined {
  return gate.kind === "held" && !isRollback ? gate.message : undefined;
}

interface ProposalGroup {
  readonly branch: string;
  readonly images: readonly AdvertisedImage[];
}

/** All images were tested together, so that they go together unless the stage says otherwise. */
function groupsOf(
  propagation: Propagation,
  { name, branch: base, branchPrefix = defaultBranchPrefix, perComponent = false }: PropagationStage,
  images: readonly AdvertisedImage[],
): ProposalGroup[] {
  const branch = `${branchPrefix}${base}/${propagation.metadata.name}/${name}`;
  if (!perComponent) return [{ branch, images }];
  // Images of one name, such as two tags of a repository, have one branch, so that they go together.
  const components = Map.groupBy(images, imageComponent);
  return [...components].map(([component, own]) => ({ branch: `${branch}.${component}`, images: own }));
}

function checkReferenced(
  { name, branch }: PropagationStage,
  images: readonly AdvertisedImage[],
  settled: readonly SettledProposal[],
): void {
  if (settled.some(({ isReferenced }) => isReferenced)) return;
  const problems = [...new Set(settled.flatMap((each) => each.problems))];
  const where = `spec.stages[${name}].paths`;
  if (problems.length > 0) {
    const next = "correct the files, or describe their references with patterns";
    throw new InputError(`no file can be edited: ${problems.slice(0, 10).join(", ")}`, { where, next });
  }
  throw new InputError(`no file of branch ${branch} refers to ${images.map(imageName).join(", ")}`, {
    where,
    next: "write the references with repository and tag, or correct the paths",
  });
}

/** The kind may be absent, too. */
function absentIfRefused(error: unknown): undefined {
  if (error instanceof InputError || (error instanceof ApiError && error.isForbidden)) return undefined;
  throw error;
}

async function readHealth(
  client: KubeClient,
  ref: { readonly apiVersion: string; readonly kind: string; readonly namespace: string; readonly name: string },
  merged: Parameters<typeof judgeHealth>[1],
  signal: AbortSignal,
): Promise<JudgedHealth> {
  try {
    const object = await client.find(ref, signal);
    return object ? judgeHealth(object, merged) : { state: "Unknown", message: `${describeRef(ref)} does not exist` };
  } catch (error) {
    const isAnswer = error instanceof InputError || (error instanceof ApiError && error.isForbidden);
    if (!isAnswer) throw error;
    return { state: "Unknown", message: describeError(error) };
  }
}
