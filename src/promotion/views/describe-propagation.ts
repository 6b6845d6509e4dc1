import type { Propagation, StageStatus } from "../kinds/propagation.ts";
import { componentNames } from "../propagation/plan-propagation.ts";

type Digests = Readonly<Record<string, string>>;

export interface DatedDigests {
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

export interface ExplainedPropagation {
  readonly propagation: string;
  /** The condition `Ready`, in words. */
  readonly state: string;
  /** What the tags have; absent until they were read once. */
  readonly source?: DatedDigests;
  /** Names for people, by `repository:tag`. */
  readonly components: Readonly<Record<string, string>>;
  readonly stages: readonly ExplainedStage[];
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
