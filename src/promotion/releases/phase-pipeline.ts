import { isRecord } from "#base";

export interface PhaseParameter {
  readonly name: string;
  readonly value: string;
}

/** A pipeline of a plan or an admission. */
export interface PhasePipeline {
  readonly resolver: string;
  /** What the resolver needs. */
  readonly resolverParams: readonly PhaseParameter[];
  readonly ociStorage: string | undefined;
  readonly useEmptyDir: boolean;
  readonly serviceAccountName: string | undefined;
  readonly taskRunSpecs: readonly Readonly<Record<string, unknown>>[];
  readonly timeouts: Readonly<Record<string, unknown>>;
  readonly maxRetries: number | undefined;
  /** Further parameters of the pipeline. */
  readonly params: readonly PhaseParameter[];
}

/** Reads a pipeline without validating it: its kind may be Konflux's, and a copy in a store was valid when it was written. */
export function readPipeline(value: unknown): PhasePipeline | undefined {
  if (!isRecord(value) || !isRecord(value["pipelineRef"])) return undefined;
  const { resolver, params, ociStorage, useEmptyDir } = value["pipelineRef"];
  const { serviceAccountName, taskRunSpecs, timeouts, maxRetries } = value;
  return {
    resolver: textOf(resolver) ?? "",
    resolverParams: readParameters(params),
    ociStorage: textOf(ociStorage),
    useEmptyDir: useEmptyDir === true,
    serviceAccountName: textOf(serviceAccountName),
    taskRunSpecs: Array.isArray(taskRunSpecs) ? taskRunSpecs.filter(isRecord) : [],
    timeouts: isRecord(timeouts) ? timeouts : {},
    maxRetries: typeof maxRetries === "number" ? maxRetries : undefined,
    params: readParameters(value["params"]),
  };
}

/** A parameter of the resolver. */
export function resolverParam({ resolverParams }: PhasePipeline, name: string): string | undefined {
  return resolverParams.find((param) => param.name === name)?.value;
}

const gitParams = ["url", "revision", "pathInRepo"] as const;

/** What a pipeline from git does not say of where it is. */
export function missingGitParams(pipeline: PhasePipeline): readonly string[] {
  return pipeline.resolver === "git" ? gitParams.filter((name) => !resolverParam(pipeline, name)) : [];
}

/** The name of a pipeline that Tenon runs itself; undefined if Tekton runs it. */
export function builtinName(pipeline: PhasePipeline): string | undefined {
  return pipeline.resolver === "builtin" ? (resolverParam(pipeline, "name") ?? "") : undefined;
}

function readParameters(value: unknown): readonly PhaseParameter[] {
  return (Array.isArray(value) ? value : []).flatMap((param) => {
    if (!isRecord(param)) return [];
    const { name, value: text } = param;
    return typeof name === "string" && typeof text === "string" ? [{ name, value: text }] : [];
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
