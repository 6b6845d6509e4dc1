import { InputError, isRecord } from "#base";
import { matchesWhole } from "#golang";
import { keyOf, type KubeObject } from "#kube";
import type { Mitigations } from "../kinds/mitigations.ts";
import { parseTimeouts, type RunTimeouts } from "../scenarios/run-timeouts.ts";
import { type PhasePipeline, resolverParam } from "./phase-pipeline.ts";
import { specOf } from "./release-state.ts";

interface RetryPolicy {
  readonly maxRetries: number;
  readonly disabledTags: readonly string[];
  readonly mitigations: Mitigations;
}

/** A ReleaseServiceConfig, read. Asked about a pipeline, it throws an InputError for an expression that is not valid. */
export interface ReleaseConfig {
  /** `namespace/name`; undefined if there is none. */
  readonly key: string | undefined;
  readonly debug: boolean;
  readonly timeouts: RunTimeouts;
  /** Whether the workspace of a pipeline is an emptyDir. */
  readonly usesEmptyDir: (pipeline: PhasePipeline) => boolean;
  /** How a managed pipeline is repeated; undefined if it is not. */
  readonly retryPolicyOf: (pipeline: PhasePipeline) => RetryPolicy | undefined;
}

/** Without an object, everything has its default. */
export function readReleaseConfig(object: KubeObject | undefined): ReleaseConfig {
  const spec = object ? specOf(object) : {};
  const { debug, defaultTimeouts, EmptyDirOverrides: overrides, retryablePipelines: retryable } = spec;
  const key = object && keyOf(object);
  return {
    key,
    debug: debug === true,
    timeouts: parseTimeouts(defaultTimeouts).timeouts,
    usesEmptyDir: (pipeline) => listOf(overrides).some((match) => isMatch(match, pipeline, key)),
    retryPolicyOf(pipeline) {
      const found = listOf(retryable).find((match) => isMatch(match, pipeline, key));
      const policy = found?.["retryPolicy"];
      if (!isRecord(policy)) return undefined;
      const { maxRetries, disableOn, mitigations } = policy;
      const tags = isRecord(disableOn) && Array.isArray(disableOn["tags"]) ? disableOn["tags"] : [];
      return {
        maxRetries: typeof maxRetries === "number" ? maxRetries : 0,
        disabledTags: tags.filter((tag) => typeof tag === "string"),
        mitigations: isRecord(mitigations) ? mitigations : {},
      };
    },
  };
}

/** Only pipelines from git can match: the expressions are about their repository. */
function isMatch(
  match: Readonly<Record<string, unknown>>,
  pipeline: PhasePipeline,
  config: string | undefined,
): boolean {
  if (pipeline.resolver !== "git" || resolverParam(pipeline, "pathInRepo") !== match["pathInRepo"]) return false;
  return (["url", "revision"] as const).every((name) => {
    const expression = match[name];
    if (typeof expression !== "string") return false;
    try {
      return matchesWhole(expression, resolverParam(pipeline, name) ?? "");
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const where = `ReleaseServiceConfig ${config}`;
      throw new InputError(`${name} ${JSON.stringify(expression)}: ${error.message}`, { where });
    }
  });
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
