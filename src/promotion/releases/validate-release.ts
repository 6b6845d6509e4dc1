import { keyOf, type KubeObject } from "#kube";
import { promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { authorsNotHeld } from "../policies/find-author-policies.ts";
import { ownerIn, readSnapshot } from "../scenarios/tested-snapshot.ts";
import { snapshotCondition } from "../snapshots/snapshot-condition.ts";
import { isReleasable } from "./decide-auto-release.ts";
import { describeMissingPolicy, judgeSource, pipelinesOf, type PlacedPipeline } from "./judge-pipelines.ts";
import type { AdmissionMatch } from "./match-admission.ts";
import { builtinName } from "./phase-pipeline.ts";
import type { ReleaseConfig } from "./release-config.ts";
import { claimsAutomation, specOf, releaseStatus } from "./release-state.ts";

/** Everything that the verdict about a Release depends on. */
export interface ReleaseFacts {
  readonly release: KubeObject;
  readonly plan: KubeObject | undefined;
  readonly snapshot: KubeObject | undefined;
  /** Undefined if the plan has no target. */
  readonly match: AdmissionMatch | undefined;
  /** The EnterpriseContractPolicy that the admission names; undefined if it is absent, or no longer needed. */
  readonly policy: KubeObject | undefined;
  readonly config: ReleaseConfig;
  /** Whether the policies that hold authors are installed. */
  readonly holdsAuthors: boolean;
  /** The pipelines that Tenon runs itself. */
  readonly builtins: readonly string[];
  /** Whether something of the Release has run. */
  readonly hasStarted: boolean;
  readonly now: number;
}

export interface Attribution {
  readonly author: string;
  readonly standingAuthorization?: true;
}

export type ReleaseVerdict =
  | { readonly kind: "valid"; readonly attribution: Attribution | undefined }
  | { readonly kind: "invalid"; readonly message: string }
  /** Its creator has not finished yet. */
  | { readonly kind: "waiting"; readonly afterMs: number };

const automationMs = 5 * 60_000;

/** Whether a Release may run, and who answers for it. The first problem is the verdict. */
export function validateRelease(facts: ReleaseFacts): ReleaseVerdict {
  const { release, plan, snapshot, match } = facts;
  const { namespace } = release.metadata;
  const names = specOf(release);
  if (!plan) return invalid(`ReleasePlan ${namespace}/${String(names["releasePlan"])} does not exist`);
  const planKey = keyOf(plan);
  const pipelines = pipelinesOf(plan, match);
  const problem =
    judgePipelines(planKey, pipelines, match, facts) ??
    (snapshot ? undefined : `Snapshot ${namespace}/${String(names["snapshot"])} does not exist`) ??
    judgeOwners(plan, snapshot) ??
    judgeSnapshot(snapshot, facts);
  if (problem !== undefined) return invalid(problem);
  const author = judgeAuthor(plan, facts);
  if (author.kind !== "valid") return author;
  const rules = { allowsCluster: facts.config.debug, builtins: facts.builtins };
  const source = pipelines.map((placed) => judgeSource(placed, rules)).find((text) => text);
  return source === undefined ? author : invalid(source);
}

function judgePipelines(
  planKey: string,
  pipelines: readonly PlacedPipeline[],
  match: AdmissionMatch | undefined,
  { policy, hasStarted }: ReleaseFacts,
): string | undefined {
  const hasTenant = pipelines.some(({ phase }) => phase === "tenant");
  if (!match) {
    if (hasTenant) return undefined;
    return `ReleasePlan ${planKey} has nothing to run: set spec.tenantPipeline, or spec.target`;
  }
  if (match.kind === "unmatched") return match.message;
  const admission = keyOf(match.admission);
  if (!match.isActive && !hasStarted) {
    return `ReleasePlanAdmission ${admission} blocks releases by its label ${promotionLabels.blockReleases}`;
  }
  const managed = pipelines.find(({ phase }) => phase === "managed")?.pipeline;
  if (!managed) {
    if (hasTenant) return undefined;
    return `ReleasePlan ${planKey} has no spec.tenantPipeline and ReleasePlanAdmission ${admission} no spec.pipeline: set one of them`;
  }
  if (policy || hasStarted || builtinName(managed) !== undefined) return undefined;
  return describeMissingPolicy(match.admission);
}

function judgeOwners(plan: KubeObject, snapshot: KubeObject | undefined): string | undefined {
  const [planned, found] = [ownerIn(plan["spec"]), ownerIn(snapshot?.["spec"])];
  if (planned && found && planned.kind === found.kind && planned.name === found.name) return undefined;
  const describe = (owner: typeof found) => (owner ? `${owner.kind} ${owner.name}` : "no Application");
  return `Snapshot ${snapshot?.metadata.name} is of ${describe(found)}, and ReleasePlan ${plan.metadata.name} of ${describe(planned)}; they must have the same owner`;
}

/** What makes it invalid is said on the Snapshot; a Release that runs goes on. */
function judgeSnapshot(snapshot: KubeObject | undefined, { hasStarted }: ReleaseFacts): string | undefined {
  const { reason, message } = (snapshot && snapshotCondition(snapshot, snapshotConditions.integration)) ?? {};
  if (reason !== "Invalid" || hasStarted) return undefined;
  return `Snapshot ${snapshot?.metadata.name} is invalid: ${message}`;
}

function judgeAuthor(plan: KubeObject, { release, snapshot, holdsAuthors, now }: ReleaseFacts): ReleaseVerdict {
  const { attribution, automated } = releaseStatus(release);
  if (attribution !== undefined) return { kind: "valid", attribution: undefined };
  if (!holdsAuthors) {
    return invalid(authorsNotHeld);
  }
  const { labels = {}, creationTimestamp = "" } = release.metadata;
  const author = labels[promotionLabels.author];
  if (!claimsAutomation(release)) {
    if (author) return { kind: "valid", attribution: { author } };
    return invalid(`the Release has no author: its label ${promotionLabels.author} is missing; create it again`);
  }
  if (automated !== true) {
    const afterMs = Date.parse(creationTimestamp) + automationMs - now;
    if (afterMs > 0) return { kind: "waiting", afterMs };
    return invalid(
      `the Release has the label ${promotionLabels.automated}, but no controller created it: status.automated is not set; create one without the label`,
    );
  }
  // Who may write the status of Releases could otherwise release anything in the name of the plan's author.
  if (specOf(release)["data"] !== undefined) {
    return invalid("an automated Release has no spec.data; create one without the label of automated ones");
  }
  if (snapshot && !isReleasable(readSnapshot(snapshot))) {
    return invalid(`Snapshot ${snapshot.metadata.name} has not passed its tests, or is not released by itself`);
  }
  const planLabels = plan.metadata.labels ?? {};
  const standing = planLabels[promotionLabels.author];
  if (planLabels[promotionLabels.standingAttribution] === "true" && standing) {
    return { kind: "valid", attribution: { author: standing, standingAuthorization: true } };
  }
  return invalid(
    `no author in ReleasePlan ${plan.metadata.name} answers for automated releases: set its label ${promotionLabels.standingAttribution}: "true", then release the Snapshot by hand`,
  );
}

function invalid(message: string): ReleaseVerdict & { readonly kind: "invalid" } {
  return { kind: "invalid", message };
}
