import { InputError, isRecord } from "#base";
import type { KubeObject, NewObject } from "#kube";
import { parseYaml } from "#yaml";
import type { RunObservation, RunTask } from "../../scenarios/evaluate-run.ts";
import { runParameters } from "../../scenarios/run-parameters.ts";
import { testRunMetadata } from "../../scenarios/test-run-metadata.ts";
import { runnerAccount, type TestRunRequest } from "../test-runner.ts";
import { findEscape } from "./find-escape.ts";

export const jobKind = { apiVersion: "batch/v1", kind: "Job" } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Where the template of a Job is, in the namespace of the Snapshot. */
export interface JobTemplateRef {
  readonly configMap: string;
  readonly key: string;
}

/** Reads the parameters of the resolver `builtin`. */
export function jobTemplateRef({ scenario }: Pick<TestRunRequest, "scenario">): JobTemplateRef {
  const where = `scenario ${scenario.name}, spec.resolverRef.params`;
  const values = new Map(scenario.resolverParameters.map(({ name, value }) => [name, value]));
  const unknown = [...values.keys()].filter((name) => !["name", "configMap", "key"].includes(name));
  if (unknown.length > 0) {
    const next = "the resolver builtin takes name, configMap and key";
    throw new InputError(`unknown parameters ${unknown.join(", ")}`, { where, next });
  }
  if (values.get("name") !== "job") {
    const next = "write job, which runs a Job from a template in a ConfigMap";
    throw new InputError(`name: the resolver builtin has no ${JSON.stringify(values.get("name") ?? "")}`, {
      where,
      next,
    });
  }
  const configMap = values.get("configMap");
  if (configMap !== undefined && configMap !== "") return { configMap, key: values.get("key") ?? "job.yaml" };
  throw new InputError("configMap is missing", { where, next: "name the ConfigMap that holds the Job under job.yaml" });
}

/**
 * The Job of a test, from its template. It runs as the service account of test runs, whatever the template says, and may not
 * ask for what would let it out of its container: a person who may write scenarios need not be allowed to run such pods.
 */
export function testJob(template: string, ref: JobTemplateRef, request: TestRunRequest): NewObject {
  const where = `ConfigMap ${ref.configMap}, ${ref.key}`;
  const value: unknown = parseYaml(template, { file: where });
  if (!isRecord(value) || value["kind"] !== jobKind.kind || value["apiVersion"] !== jobKind.apiVersion) {
    throw new InputError("expected a Job of batch/v1", { where });
  }
  const spec = record(value["spec"]);
  const pod = record(record(spec["template"])["spec"]);
  const problem = findEscape(record(spec["template"]));
  if (problem !== undefined) {
    throw new InputError(`spec.template.${problem} is not allowed in a test`, { where, next: "remove it" });
  }
  if (records(pod["containers"]).length === 0) throw new InputError("the Job has no container", { where });
  const { snapshot, scenario, timeouts } = request;
  const env = runParameters(snapshot, scenario).map((parameter) => ({
    name: parameter.name,
    value: typeof parameter.value === "string" ? parameter.value : JSON.stringify(parameter.value),
  }));
  const withEnvironment = (container: Fields): Fields => {
    const others = records(container["env"]).filter((one) => !env.some((own) => own.name === one["name"]));
    return { ...container, env: [...env, ...others] };
  };
  const initial = records(pod["initContainers"]).map(withEnvironment);
  const seconds = timeouts.pipeline === undefined ? undefined : Number(timeouts.pipeline / 1_000_000_000n);
  return {
    ...jobKind,
    metadata: testRunMetadata(request),
    spec: {
      backoffLimit: 0,
      ...(seconds === undefined || seconds < 1 ? {} : { activeDeadlineSeconds: seconds }),
      ...spec,
      template: {
        ...record(spec["template"]),
        spec: {
          restartPolicy: "Never",
          ...pod,
          serviceAccountName: runnerAccount,
          containers: records(pod["containers"]).map(withEnvironment),
          ...(initial.length > 0 ? { initContainers: initial } : {}),
        },
      },
    },
  };
}

/** How far a Job is, without its pods. */
export function readJob({ metadata, status }: KubeObject): Omit<RunObservation, "tasks"> {
  const conditions = records(record(status)["conditions"]).filter((condition) => condition["status"] === "True");
  const failed = conditions.find(({ type }) => type === "Failed");
  const message = failed?.["message"];
  const isComplete = conditions.some(({ type }) => type === "Complete");
  return {
    progress: isComplete ? "succeeded" : failed ? "failed" : "running",
    isDeleting: metadata.deletionTimestamp !== undefined,
    ...(typeof message === "string" && message !== "" ? { message } : {}),
  };
}

/** What the containers of the Job's last pod left as their termination messages. */
export function readJobPods(pods: readonly KubeObject[]): RunTask[] {
  const last = pods.toSorted((one, other) => createdAt(one) - createdAt(other)).at(-1);
  return records(record(last?.["status"])["containerStatuses"]).map(readContainer);
}

function readContainer({ name, state }: Fields): RunTask {
  const { message, startedAt, finishedAt } = record(record(state)["terminated"]);
  return {
    name: String(name),
    ...(typeof startedAt === "string" ? { startedAt: Date.parse(startedAt) } : {}),
    ...(typeof finishedAt === "string" ? { finishedAt: Date.parse(finishedAt) } : {}),
    ...(typeof message === "string" && message.trim() !== "" ? { output: message.trim() } : {}),
  };
}

function createdAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
