import { InputError, parseDuration } from "#base";
import type { PropagationStage, RollbackImage, StageStatus } from "../kinds/propagation.ts";
import { type AdvertisedImage, imageName } from "./advertised-image.ts";
import { areSameDigests, type ProposedDigests } from "./decide-proposal.ts";

/** Whether a stage may follow the one before it. */
export type StageGate =
  | { readonly kind: "open" }
  /** Newer digests are on their way here; `dueAt`, in milliseconds, is when the wait ends by itself. */
  | { readonly kind: "waiting"; readonly message: string; readonly dueAt?: number }
  /** The stage before is red or rolled back: nothing is proposed. */
  | { readonly kind: "held"; readonly message: string };

export interface StageTarget {
  /** What the stage should have; undefined if nothing has reached it yet. */
  readonly images: readonly AdvertisedImage[] | undefined;
  readonly gate: StageGate;
  /** What became of the stage's rollback. */
  readonly rollback: StageStatus["rollback"];
  /** Some of the images go back to an earlier digest. */
  readonly isRollback: boolean;
}

export interface TargetFacts {
  readonly stage: PropagationStage;
  /** What the tags have. */
  readonly advertised: readonly AdvertisedImage[];
  /** What the stage should have had so far, and what became of its rollback. */
  readonly before: Pick<StageStatus, "target" | "rollback"> | undefined;
  /** The stage that `after` names, with its state as of now. */
  readonly upstream: { readonly stage: PropagationStage; readonly status: StageStatus | undefined } | undefined;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** Decides which digests a stage should have: those of the tags, or those that the stage before it has proved. */
export function decideTarget({ stage, advertised, before, upstream, now }: TargetFacts): StageTarget {
  const gate = upstream ? decideGate(upstream, stage.after?.soak, now) : ({ kind: "open" } as const);
  const proved = upstream ? provedDigests(upstream.status, upstream.stage) : undefined;
  const digests = !upstream ? digestsOf(advertised) : gate.kind === "open" ? proved : before?.target?.digests;
  const candidates = digests && withDigests(advertised, digests);
  const rollback = trackRollback(stage, before?.rollback, digests, now);
  const images = candidates?.map((image) => rollBack(image, rollback));
  return {
    images: images && images.length > 0 ? images : undefined,
    gate,
    rollback,
    isRollback: images !== undefined && activeRollback(rollback, digestsOf(images)).length > 0,
  };
}

function decideGate(
  { stage, status }: NonNullable<TargetFacts["upstream"]>,
  soak: string | undefined,
  now: number,
): StageGate {
  const { name } = stage;
  if (status?.health?.state === "Red") {
    const why = status.health.message ?? "an object is not healthy";
    return { kind: "held", message: `stage ${name} is red: ${why}; repair it, or roll it back` };
  }
  if (activeRollback(status?.rollback, status?.target?.digests).length > 0) {
    const next = "roll back this stage too, or release a newer image";
    return { kind: "held", message: `stage ${name} is rolled back; ${next}` };
  }
  const proved = provedDigests(status, stage);
  if (!status || !proved) return { kind: "waiting", message: `waits until stage ${name} ${waitOf(stage, status)}` };
  const since = Math.max(
    Date.parse((stage.health ? status.running?.since : status.merged?.since) ?? ""),
    stage.health ? Date.parse(status.health?.since ?? "") : 0,
  );
  const dueAt = since + (parseDuration(soak ?? "0s") ?? 0);
  if (now >= dueAt) return { kind: "open" };
  return { kind: "waiting", message: `stage ${name} soaks until ${toTimestamp(dueAt)}`, dueAt };
}

/** Refuses stages that wait for each other: CEL in the CRD cannot follow a chain. */
export function refuseCircle(stages: readonly PropagationStage[]): void {
  const afterOf = (name: string) => stages.find((stage) => stage.name === name)?.after?.stage;
  for (const { name } of stages) {
    const chain = [name];
    for (let next = afterOf(name); next !== undefined && chain.length <= stages.length; next = afterOf(next)) {
      if (next === name) {
        throw new InputError(`the stages ${chain.join(", ")} wait for each other`, {
          where: `spec.stages[${name}].after`,
          next: "remove `after` from the stage that comes first",
        });
      }
      chain.push(next);
    }
  }
}

/** As Kubernetes writes times, by the second. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** What the stage has merged and, if it says where it runs, runs and is healthy with. */
function provedDigests(status: StageStatus | undefined, { health }: PropagationStage): ProposedDigests | undefined {
  if (!health) return status?.merged?.digests;
  if (status?.health?.state !== "Healthy" || !status.running || !status.merged) return undefined;
  return areSameDigests(status.running.digests, status.merged.digests) ? status.running.digests : undefined;
}

function waitOf({ health }: PropagationStage, status: StageStatus | undefined): string {
  if (!status?.merged) return "has merged a digest";
  if (!health) return "has merged it";
  return status.health?.message === undefined ? "runs what it has merged" : `is healthy: ${status.health.message}`;
}

/** A rollback ends for an image as soon as there is a digest that is neither the one it left nor the one it went to. */
function trackRollback(
  { rollback }: PropagationStage,
  before: StageStatus["rollback"],
  digests: ProposedDigests | undefined,
  now: number,
): StageStatus["rollback"] {
  if (!rollback) return undefined;
  const known = before?.at === rollback.at ? before?.images : undefined;
  const images = rollback.images.map((entry) => {
    const same = known?.find(({ image, from, to }) => image === entry.image && from === entry.from && to === entry.to);
    const digest = digests?.[entry.image];
    const isOver = digest !== undefined && digest !== entry.from && digest !== entry.to;
    const ended = same?.ended ?? (isOver ? toTimestamp(now) : undefined);
    return { ...entry, ...(ended === undefined ? {} : { ended }) };
  });
  return { ...(rollback.at === undefined ? {} : { at: rollback.at }), images };
}

/** The images of a rollback that a stage with these digests has gone back with. */
export function activeRollback(
  rollback: StageStatus["rollback"],
  target: ProposedDigests | undefined,
): RollbackImage[] {
  return rollback?.images.filter(({ image, to, ended }) => ended === undefined && target?.[image] === to) ?? [];
}

function rollBack(image: AdvertisedImage, rollback: StageStatus["rollback"]): AdvertisedImage {
  const entry = rollback?.images.find((one) => one.image === imageName(image));
  return entry && entry.ended === undefined && entry.from === image.digest ? { ...image, digest: entry.to } : image;
}

export function digestsOf(images: readonly AdvertisedImage[]): ProposedDigests {
  return Object.fromEntries(images.map((image) => [imageName(image), image.digest]));
}

/** The images that have a digest there. */
function withDigests(images: readonly AdvertisedImage[], digests: ProposedDigests): AdvertisedImage[] {
  return images.flatMap((image) => {
    const digest = digests[imageName(image)];
    return digest === undefined ? [] : [{ ...image, digest }];
  });
}
