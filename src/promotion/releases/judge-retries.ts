import { compareText, InputError, isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import type { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { type PhasePipeline, readPipeline } from "./phase-pipeline.ts";
import type { ReleaseConfig } from "./release-config.ts";
import { specOf } from "./release-state.ts";

export type RetryInfo = NonNullable<NonNullable<ReleasePlanAdmission["status"]>["retryInfo"]>;

/** Whether the managed pipeline of an admission is repeated after a lack of memory or time, and how often. */
export function judgeRetries(admission: KubeObject, plans: readonly KubeObject[], config: ReleaseConfig): RetryInfo {
  const pipeline = readPipeline(specOf(admission)["pipeline"]);
  if (config.key === undefined) return disabled("there is no ReleaseServiceConfig");
  if (!pipeline) return disabled("spec.pipeline is not set");
  if (pipeline.resolver !== "git") return disabled("only pipelines of the resolver git are repeated");
  const policy = findPolicy(pipeline, config);
  if (policy instanceof InputError) return disabled(policy.message);
  if (!policy) return disabled(`no entry of spec.retryablePipelines of ReleaseServiceConfig ${config.key} matches`);
  const maxRetries = pipeline.maxRetries ?? policy.maxRetries;
  if (maxRetries === 0) return disabled("maxRetries is 0");
  const tagged = [admission, ...plans].flatMap((object) => tagsOf(object).map((tag) => ({ tag, object })));
  const forbidden = tagged
    .filter(({ tag }) => policy.disabledTags.includes(tag))
    .toSorted((one, other) => compareText(one.tag, other.tag))[0];
  if (forbidden) {
    const { tag, object } = forbidden;
    return disabled(`${object.kind} ${keyOf(object)} has the tag ${tag}, of which releases are not repeated`);
  }
  return { enabled: true, maxRetries, mitigations: policy.mitigations };
}

/** An expression that is not valid must keep neither the admission nor a Release waiting. */
function findPolicy(
  pipeline: PhasePipeline,
  config: ReleaseConfig,
): ReturnType<ReleaseConfig["retryPolicyOf"]> | InputError {
  try {
    return config.retryPolicyOf(pipeline);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function disabled(reason: string): RetryInfo {
  return { enabled: false, reason };
}

/** Every tag that the mapping of an object names. */
function tagsOf(object: KubeObject): readonly string[] {
  const data = specOf(object)["data"];
  const mapping = isRecord(data) && isRecord(data["mapping"]) ? data["mapping"] : {};
  const defaults = isRecord(mapping["defaults"]) ? mapping["defaults"] : {};
  const components = recordsIn(mapping["components"]);
  const repositories = components.flatMap((component) => recordsIn(component["repositories"]));
  const holders = [defaults, mapping, ...components, ...repositories];
  return holders
    .flatMap(({ tags, componentTags }) => [tags, componentTags])
    .flatMap((tags) => (Array.isArray(tags) ? tags : []).filter((tag) => typeof tag === "string"));
}

function recordsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
