import type { KubeObject } from "#kube";
import { Propagation, type StageStatus } from "../kinds/propagation.ts";
import { componentNames } from "../propagation/plan-propagation.ts";
import type { LiveRollout } from "./find-rollouts.ts";

/** One component in one stage of a Propagation: what it should have, and what runs. */
export interface EnvironmentView {
  readonly namespace: string;
  readonly propagation: string;
  readonly environment: string;
  readonly component: string;
  /** As `repository:tag`. */
  readonly image: string;
  readonly state: string;
  readonly released?: string;
  readonly merged?: string;
  readonly mergedSince?: string;
  readonly running?: string;
  readonly runningSince?: string;
  /** Workloads of this cluster that have the digest which runs. */
  readonly where: readonly string[];
}

/** Every digest that the status of a Propagation knows, by which its workloads are found. */
export function knownDigests({ status }: Propagation): Set<string> {
  const stages = status?.stages ?? [];
  const recorded = [
    status?.advertised,
    ...stages.flatMap(({ target, merged, running }) => [target, merged, running]),
    ...stages.flatMap(({ history }) => history ?? []),
  ];
  return new Set(recorded.flatMap((each) => Object.values(each?.digests ?? {})));
}

/** A row for each stage and component, in the order of the stages. */
export function environmentsOf(object: KubeObject, rollouts: readonly LiveRollout[]): EnvironmentView[] {
  const propagation = Propagation.parse(object);
  const { namespace = "", name } = object.metadata;
  return propagation.spec.stages.flatMap((stage) => {
    const named = new Set(stage.health?.map((each) => `${each.kind} ${each.namespace ?? namespace}/${each.name}`));
    const candidates = rollouts.filter(({ object: workload }) => named.size === 0 || named.has(workload));
    return Object.entries(componentNames(propagation)).map(([image, component]) =>
      viewEnvironment(
        { namespace, propagation: name, environment: stage.name, component, image },
        propagation,
        candidates,
      ),
    );
  });
}

type Place = Pick<EnvironmentView, "namespace" | "propagation" | "environment" | "component" | "image">;

function viewEnvironment(
  place: Place,
  { spec, status }: Propagation,
  candidates: readonly LiveRollout[],
): EnvironmentView {
  const known = status?.stages?.find(({ name }) => name === place.environment);
  const released = status?.advertised?.digests[place.image];
  return {
    ...place,
    state: spec.suspend ? "Suspended" : (known?.state ?? "New"),
    ...(released === undefined ? {} : { released }),
    ...mergedOf(place.image, known),
    ...runningOf(place.image, known, candidates),
  };
}

function mergedOf(image: string, stage: StageStatus | undefined): Pick<EnvironmentView, "merged" | "mergedSince"> {
  const merged = stage?.merged?.digests[image];
  return merged === undefined || !stage?.merged ? {} : { merged, mergedSince: stage.merged.since };
}

/** What the `health` objects run, as Tenon has seen it; else what a workload of this cluster says. */
function runningOf(
  image: string,
  stage: StageStatus | undefined,
  candidates: readonly LiveRollout[],
): Pick<EnvironmentView, "running" | "runningSince" | "where"> {
  const recorded = [stage?.running, stage?.merged, stage?.target, ...(stage?.history ?? [])];
  const ours = new Set(recorded.flatMap((each) => each?.digests[image] ?? []));
  const live = candidates.filter(({ digest, state }) => state === "Running" && ours.has(digest));
  const seen = stage?.running?.digests[image];
  const running = seen ?? live[0]?.digest;
  if (running === undefined) return { where: [] };
  const workloads = live.filter(({ digest }) => digest === running);
  const since = seen === undefined ? workloads[0]?.since : stage?.running?.since;
  return {
    running,
    ...(since === undefined ? {} : { runningSince: since }),
    where: workloads.map(({ object }) => object),
  };
}
