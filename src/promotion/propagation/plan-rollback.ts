import { InputError } from "#base";
import type { Propagation, PropagationStage, RollbackImage, StageStatus } from "../kinds/propagation.ts";
import { areSameDigests } from "./decide-proposal.ts";
import { componentNames } from "./plan-propagation.ts";
import { activeRollback } from "./stage-target.ts";

/** What a rollback of one stage would do. */
export interface RollbackPlan {
  readonly stage: PropagationStage;
  readonly images: readonly PlannedRollback[];
  /** What the spec gets: these images, and those that an earlier rollback took back and that stay there. */
  readonly rollback: readonly RollbackImage[];
  /** The open pull requests that would propose this instead of what they propose now. */
  readonly replaces: readonly number[];
  /** The same rollback is in the spec already, and has not ended. */
  readonly isAsked: boolean;
}

export interface PlannedRollback extends RollbackImage {
  readonly component: string;
  /** What the base branch has. */
  readonly merged: string;
  /** Since when it had the digest that it goes back to. */
  readonly since: string;
}

/** Decides what a stage goes back to: the digests that its base branch had before, and that were not rolled back themselves. */
export function planRollback(propagation: Propagation, stageName: string | undefined): RollbackPlan {
  const stage = findStage(propagation, stageName);
  const where = `spec.stages[${stage.name}]`;
  const status = propagation.status?.stages?.find(({ name }) => name === stage.name);
  const { merged, history = [] } = status ?? {};
  if (!status || !merged) {
    const next = "`tenon get propagations` shows what each stage has merged";
    throw new InputError(`stage ${stage.name} has merged no digest that Tenon knows of`, { where, next });
  }
  const isOther = ([image, digest]: [string, string]) => (merged.digests[image] ?? digest) !== digest;
  const previous = history.find(
    ({ digests }, index) =>
      Object.entries(digests).some(isOther) &&
      !history.slice(0, index + 1).some((newer) => newer.rolledBack && areSameDigests(newer.digests, digests)),
  );
  if (!previous) {
    throw new InputError(`stage ${stage.name} has had no other digests since Tenon follows it`, {
      where,
      next: `revert its last change on branch ${stage.branch}, and close the pull request by which Tenon proposes it again`,
    });
  }
  const components = componentNames(propagation);
  const active = activeRollback(status.rollback, status.target?.digests);
  const images = Object.entries(previous.digests)
    .filter(isOther)
    .map(([image, to]): PlannedRollback => {
      // The digest that the stage would have if it went back nowhere.
      const left = active.find((entry) => entry.image === image)?.from ?? status.target?.digests[image];
      const from = left ?? merged.digests[image] ?? to;
      const component = components[image] ?? image;
      return { image, from, to, component, merged: merged.digests[image] ?? "", since: previous.since };
    });
  const kept = active.filter(({ image }) => !images.some((planned) => planned.image === image));
  const rollback = [...images, ...kept].map(({ image, from, to }) => ({ image, from, to }));
  const proposed = status.proposals.filter(({ pullRequest }) => pullRequest?.state === "open");
  return {
    stage,
    images,
    rollback,
    replaces: proposed.flatMap(({ pullRequest }) => pullRequest?.number ?? []),
    isAsked: isSameRollback(stage, status, rollback),
  };
}

export function findStage({ spec: { stages } }: Propagation, name: string | undefined): PropagationStage {
  const [first, ...others] = stages;
  const found = name === undefined && others.length === 0 ? first : stages.find((stage) => stage.name === name);
  if (found) return found;
  const known = stages.map((stage) => stage.name).join(", ");
  throw name === undefined
    ? new InputError(`expected one of the stages ${known}`, { where: "--stage", next: `add --stage ${first?.name}` })
    : new InputError(`stage ${name} not found`, { where: "--stage", next: `the stages are ${known}` });
}

function isSameRollback(stage: PropagationStage, { rollback }: StageStatus, images: readonly RollbackImage[]): boolean {
  const asked = stage.rollback?.images ?? [];
  const isKept = ({ image, from, to }: RollbackImage) =>
    asked.some((entry) => entry.image === image && entry.from === from && entry.to === to) &&
    !rollback?.images.some((entry) => entry.image === image && entry.to === to && entry.ended !== undefined);
  return asked.length === images.length && images.every(isKept);
}
