import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { ReleaseServiceConfig } from "../kinds/release-service-config.ts";
import { formatTimeouts } from "../scenarios/run-timeouts.ts";
import { type PhasePipeline, readPipeline } from "./phase-pipeline.ts";
import { readReleaseConfig } from "./release-config.ts";

const { apiVersion, kind } = ReleaseServiceConfig;

function configWith(spec: unknown): KubeObject {
  return { apiVersion, kind, metadata: { namespace: "tenon", name: "release-service-config" }, spec };
}

const source = { url: "https://git.example/acme/pipelines", revision: "main", pathInRepo: "push.yaml" };

function pipelineFrom(params: Readonly<Record<string, string>>, resolver = "git"): PhasePipeline {
  const pipeline = readPipeline({
    pipelineRef: { resolver, params: Object.entries(params).map(([name, value]) => ({ name, value })) },
  });
  if (!pipeline) throw new Error("expected a pipeline");
  return pipeline;
}

describe("a ReleaseServiceConfig", () => {
  test.for([
    { reason: "there is none", object: undefined, key: undefined },
    { reason: "it is empty", object: configWith({}), key: "tenon/release-service-config" },
    { reason: "it has no spec", object: configWith(undefined), key: "tenon/release-service-config" },
    {
      reason: "nothing in it has the type that it should",
      object: configWith({ debug: "true", defaultTimeouts: "1h", EmptyDirOverrides: {}, retryablePipelines: [null] }),
      key: "tenon/release-service-config",
    },
  ])("has its defaults if $reason", ({ object, key }) => {
    const config = readReleaseConfig(object);
    expect(config).toMatchObject({ debug: false, timeouts: {} });
    expect(config.key).toBe(key);
    expect(config.usesEmptyDir(pipelineFrom(source))).toBe(false);
    expect(config.retryPolicyOf(pipelineFrom(source))).toBeUndefined();
  });

  test("P38: says the timeouts of pipelines that have none, and whether those of the cluster may run", () => {
    const { debug, timeouts } = readReleaseConfig(
      configWith({ debug: true, defaultTimeouts: { pipeline: "4h", tasks: "3h30m", finally: "soon" } }),
    );
    expect(debug).toBe(true);
    expect(formatTimeouts(timeouts)).toEqual({ pipeline: "4h0m0s", tasks: "3h30m0s" });
  });
});

describe("P37: an entry of a ReleaseServiceConfig matches a pipeline", () => {
  const all = { url: ".*", revision: ".*", pathInRepo: "push.yaml" };
  const retryPolicy = { maxRetries: 2 };
  const rows: readonly {
    readonly reason: string;
    readonly match: object;
    readonly pipeline: PhasePipeline;
    readonly matches: boolean;
  }[] = [
    { reason: "as it is written", match: source, pipeline: pipelineFrom(source), matches: true },
    { reason: "by expressions", match: all, pipeline: pipelineFrom(source), matches: true },
    {
      reason: "one of several expressions, each of the whole text",
      match: { ...all, revision: "dev|main" },
      pipeline: pipelineFrom(source),
      matches: true,
    },
    {
      reason: "only a part of the repository",
      match: { ...all, url: "https://git.example/acme" },
      pipeline: pipelineFrom(source),
      matches: false,
    },
    {
      reason: "only the end of the repository, as a tenant could make one",
      match: source,
      pipeline: pipelineFrom({ ...source, url: `https://evil.example/?x=${source.url}` }),
      matches: false,
    },
    {
      reason: "a line of the repository",
      match: source,
      pipeline: pipelineFrom({ ...source, url: `https://evil.example\n${source.url}` }),
      matches: false,
    },
    {
      reason: "only a part of the revision",
      match: source,
      pipeline: pipelineFrom({ ...source, revision: "main-2" }),
      matches: false,
    },
    {
      reason: "the last expression of several, only in part",
      match: { ...all, revision: "dev|main" },
      pipeline: pipelineFrom({ ...source, revision: "develop" }),
      matches: false,
    },
    {
      reason: "the file is not an expression",
      match: { ...all, pathInRepo: ".*" },
      pipeline: pipelineFrom(source),
      matches: false,
    },
    { reason: "it is not from git", match: all, pipeline: pipelineFrom(source, "bundles"), matches: false },
    { reason: "the pipeline names no repository", match: source, pipeline: pipelineFrom({}), matches: false },
    {
      reason: "the entry names no repository",
      match: { ...all, url: 1 },
      pipeline: pipelineFrom(source),
      matches: false,
    },
  ];
  test.for(rows)("$matches: $reason", ({ match, pipeline, matches }) => {
    const config = readReleaseConfig(
      configWith({ EmptyDirOverrides: [match], retryablePipelines: [{ ...match, retryPolicy }] }),
    );
    expect(config.usesEmptyDir(pipeline)).toBe(matches);
    expect(config.retryPolicyOf(pipeline)).toEqual(
      matches ? { maxRetries: 2, disabledTags: [], mitigations: {} } : undefined,
    );
  });

  test("the first entry that matches counts", () => {
    const mitigations = { oomKill: { multiplier: "2" } };
    const retryablePipelines = [
      { ...all, pathInRepo: "other.yaml", retryPolicy: { maxRetries: 1 } },
      { ...all, retryPolicy: { maxRetries: 2, disableOn: { tags: ["latest", 7] }, mitigations } },
      { ...all, retryPolicy: { maxRetries: 3 } },
    ];
    const config = readReleaseConfig(configWith({ retryablePipelines }));
    expect(config.retryPolicyOf(pipelineFrom(source))).toEqual({
      maxRetries: 2,
      disabledTags: ["latest"],
      mitigations,
    });
  });

  test("an expression that is not valid is named, with the object that has it", () => {
    const config = readReleaseConfig(configWith({ EmptyDirOverrides: [{ ...all, revision: "(" }] }));
    expect(() => config.usesEmptyDir(pipelineFrom(source))).toThrow(
      /^ReleaseServiceConfig tenon\/release-service-config: revision "\(": error parsing regexp/,
    );
    expect(config.usesEmptyDir(pipelineFrom({ ...source, pathInRepo: "other.yaml" }))).toBe(false);
  });

  test("an expression that takes exponential time elsewhere ends", () => {
    const config = readReleaseConfig(configWith({ EmptyDirOverrides: [{ ...all, url: "(a+)+b" }] }));
    expect(config.usesEmptyDir(pipelineFrom({ ...source, url: "a".repeat(1_000) }))).toBe(false);
  });
});
