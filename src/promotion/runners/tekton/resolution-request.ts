import { describeError, isRecord } from "#base";
import type { KubeObject, NewObject } from "#kube";
import { followPullRequest, selfTestSource } from "../../scenarios/self-test-source.ts";
import { testRunMetadata } from "../../scenarios/test-run-metadata.ts";
import type { StartedRun, TestRunRequest } from "../test-runner.ts";

export const resolutionKind = { apiVersion: "resolution.tekton.dev/v1beta1", kind: "ResolutionRequest" } as const;
const deadlineMs = 2 * 60_000;
const pollMs = 1_000;
const typeLabel = "resolution.tekton.dev/type";

export type Resolution =
  | Exclude<StartedRun, { kind: "started" }>
  | { readonly kind: "resolved"; readonly text: string };

export const awaitedResolution = {
  kind: "waiting",
  message: "Tekton resolves the PipelineRun",
  afterMs: pollMs,
} as const satisfies Resolution;

/** Asks a resolver of Tekton for a whole PipelineRun. */
export function resolutionRequest(request: TestRunRequest): NewObject {
  const { snapshot, scenario, name } = request;
  const { namespace, ownerReferences = [] } = testRunMetadata(request);
  const { resolver, resolverParameters } = scenario;
  return {
    ...resolutionKind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [typeLabel]: resolver, "konflux-ci.dev/created-by": "integration-service" },
      ownerReferences,
    },
    spec: { params: followPullRequest(resolver, resolverParameters, selfTestSource(snapshot)) },
  };
}

/** How far a resolution is. Without an end of Tekton's own it ends after a while. */
export function readResolution({ metadata, status }: KubeObject, now: number): Resolution {
  const fields = isRecord(status) ? status : {};
  const conditions = Array.isArray(fields["conditions"]) ? fields["conditions"].filter(isRecord) : [];
  const succeeded = conditions.find(({ type }) => type === "Succeeded");
  const resolver = metadata.labels?.[typeLabel];
  if (succeeded?.["status"] === "True" && typeof fields["data"] === "string") {
    return { kind: "resolved", text: Buffer.from(fields["data"], "base64").toString() };
  }
  if (succeeded?.["status"] === "False") {
    const reason = describeError(succeeded["message"]);
    const message = `Tekton cannot resolve the PipelineRun: ${reason}; ${resolutionAdvice(reason, resolver)}`;
    return { kind: "refused", message };
  }
  if (now - Date.parse(metadata.creationTimestamp ?? "") > deadlineMs) {
    const message = `Tekton did not resolve the PipelineRun within ${deadlineMs / 60_000} min; ${unanswered(resolver)}`;
    return { kind: "refused", message };
  }
  return awaitedResolution;
}

/** What to do about a reference that Tekton could not resolve. */
export function resolutionAdvice(reason: string, resolver: unknown): string {
  // Tekton gives up after a while: it does not know which resolvers there are.
  return /resolution took longer/.test(reason) ? unanswered(resolver) : "correct spec.resolverRef of the scenario";
}

function unanswered(resolver: unknown): string {
  return `no resolver of the cluster answers to ${JSON.stringify(resolver)}: correct spec.resolverRef.resolver of the scenario, or install it`;
}
