import { InputError, isRecord, valueAt } from "#base";
import type { KubeObject, NewObject } from "#kube";
import { parseYaml } from "#yaml";
import type { RunObservation, RunTask } from "../../scenarios/evaluate-run.ts";
import { runParameters } from "../../scenarios/run-parameters.ts";
import { formatTimeouts } from "../../scenarios/run-timeouts.ts";
import { followPullRequest, type SelfTestSource, selfTestSource } from "../../scenarios/self-test-source.ts";
import { testRunMetadata } from "../../scenarios/test-run-metadata.ts";
import { runnerAccount, type TestRunRequest } from "../test-runner.ts";
import { resolutionAdvice } from "./resolution-request.ts";

export const pipelineRunKind = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" } as const;
export const taskRunKind = { apiVersion: "tekton.dev/v1", kind: "TaskRun" } as const;

type Fields = Readonly<Record<string, unknown>>;

/** The PipelineRun of a test whose scenario names a pipeline. */
export function testPipelineRun(request: TestRunRequest): NewObject {
  const { snapshot, scenario, timeouts } = request;
  const { resolver, resolverParameters } = scenario;
  const params = followPullRequest(resolver, resolverParameters, selfTestSource(snapshot));
  const limits = formatTimeouts(timeouts);
  return {
    ...pipelineRunKind,
    metadata: testRunMetadata(request),
    spec: {
      pipelineRef: { resolver, params },
      params: runParameters(snapshot, scenario),
      taskRunTemplate: { serviceAccountName: runnerAccount },
      ...(limits ? { timeouts: limits } : {}),
    },
  };
}

/** The PipelineRun of a test whose scenario names a whole PipelineRun, from that one's text. */
export function resolvedPipelineRun(text: string, request: TestRunRequest): NewObject {
  const { snapshot, scenario, timeouts } = request;
  const resolved = parseResolved(text, scenario.name);
  const spec = isRecord(resolved["spec"]) ? resolved["spec"] : {};
  const given = isRecord(resolved["metadata"]) ? resolved["metadata"] : {};
  const metadata = testRunMetadata(request);
  const source = selfTestSource(snapshot);
  const parameters = runParameters(snapshot, scenario);
  const others = records(spec["params"]).filter((param) => !parameters.some((own) => own.name === param["name"]));
  const template = isRecord(spec["taskRunTemplate"]) ? spec["taskRunTemplate"] : {};
  const limits = { ...(isRecord(spec["timeouts"]) ? spec["timeouts"] : {}), ...formatTimeouts(timeouts) };
  return {
    ...pipelineRunKind,
    metadata: {
      ...metadata,
      labels: { ...texts(given["labels"]), ...metadata.labels },
      annotations: { ...texts(given["annotations"]), ...metadata.annotations },
    },
    spec: {
      ...followEverywhere(spec, source),
      params: [...parameters, ...others],
      taskRunTemplate: { serviceAccountName: runnerAccount, ...template },
      ...(Object.keys(limits).length > 0 ? { timeouts: limits } : {}),
    },
  };
}

function parseResolved(text: string, scenario: string): Fields {
  const where = `the PipelineRun of scenario ${scenario}`;
  const next = "correct the file that spec.resolverRef names";
  const value: unknown = parseYaml(text, { file: where });
  if (!isRecord(value) || value["kind"] !== pipelineRunKind.kind) {
    throw new InputError("expected a PipelineRun", { where, next });
  }
  if (value["apiVersion"] === pipelineRunKind.apiVersion) return value;
  throw new InputError(`expected ${pipelineRunKind.apiVersion}, got ${JSON.stringify(value["apiVersion"])}`, {
    where,
    next,
  });
}

/** The pipeline, and the tasks that are named in the run itself, may be in the repository of the pull request. */
function followEverywhere(spec: Fields, source: SelfTestSource | undefined): Fields {
  if (!source) return spec;
  const followTask = (task: Fields): Fields => ({ ...task, ...follow(task, "taskRef", source) });
  const tasks = (value: unknown): unknown[] => records(value).map(followTask);
  const { pipelineSpec } = spec;
  const inline = isRecord(pipelineSpec)
    ? {
        pipelineSpec: {
          ...pipelineSpec,
          ...(pipelineSpec["tasks"] === undefined ? {} : { tasks: tasks(pipelineSpec["tasks"]) }),
          ...(pipelineSpec["finally"] === undefined ? {} : { finally: tasks(pipelineSpec["finally"]) }),
        },
      }
    : {};
  return { ...spec, ...follow(spec, "pipelineRef", source), ...inline };
}

function follow(holder: Fields, field: "pipelineRef" | "taskRef", source: SelfTestSource): Fields {
  const reference = holder[field];
  if (!isRecord(reference) || typeof reference["resolver"] !== "string") return {};
  const params = records(reference["params"]).flatMap(({ name, value }) =>
    typeof name === "string" && typeof value === "string" ? [{ name, value }] : [],
  );
  const followed = followPullRequest(reference["resolver"], params, source);
  return followed === params ? {} : { [field]: { ...reference, params: followed } };
}

/** How far a PipelineRun is, without its TaskRuns. */
export function readPipelineRun({ metadata, spec, status }: KubeObject): Omit<RunObservation, "tasks"> {
  const fields = isRecord(status) ? status : {};
  const succeeded = records(fields["conditions"]).find(({ type }) => type === "Succeeded");
  const children = records(fields["childReferences"]).filter(({ kind }) => kind === taskRunKind.kind);
  const message = succeeded && describeEnd(succeeded, spec);
  return {
    progress: succeeded?.["status"] === "True" ? "succeeded" : succeeded?.["status"] === "False" ? "failed" : "running",
    isDeleting: metadata.deletionTimestamp !== undefined,
    ...(message === undefined ? {} : { message }),
    expectedTasks: children.length,
  };
}

/** What Tekton says of the end of a run, and what to do if it found no pipeline. */
function describeEnd({ reason, message }: Fields, spec: unknown): string | undefined {
  if (typeof message !== "string" || message === "") return undefined;
  if (reason !== "CouldntGetPipeline") return message;
  return `${message}; ${resolutionAdvice(message, valueAt(spec, ["pipelineRef", "resolver"]))}`;
}

/** What a TaskRun says of its tests, also under the name that the result had before. */
export function readTaskRun({ metadata, status }: KubeObject): RunTask {
  const { results, startTime, completionTime } = isRecord(status) ? status : {};
  const output = ["TEST_OUTPUT", "HACBS_TEST_OUTPUT"]
    .map((name) => records(results).find((result) => result["name"] === name)?.["value"])
    .find((value) => typeof value === "string");
  return {
    name: metadata.labels?.["tekton.dev/pipelineTask"] ?? metadata.name,
    ...(typeof startTime === "string" ? { startedAt: Date.parse(startTime) } : {}),
    ...(typeof completionTime === "string" ? { finishedAt: Date.parse(completionTime) } : {}),
    ...(typeof output === "string" ? { output: output.trim() } : {}),
  };
}

function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([key, text]) =>
      typeof text === "string" ? [[key, text] as const] : [],
    ),
  );
}
