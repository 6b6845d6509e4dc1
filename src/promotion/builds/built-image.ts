import { InputError } from "#base";
import { formatImageReference, isDigest, parseImageReference } from "#oci";
import type { BuildRun } from "./build-run.ts";

/** What a build made, and of what. */
export interface BuildOutput {
  /** By digest. */
  readonly image: string;
  readonly repositoryUrl: string | undefined;
  readonly commit: string | undefined;
}

/** The image of a run's results; an InputError says which result is missing or wrong. */
export function builtImageOf({ results, name }: Pick<BuildRun, "results" | "name">): BuildOutput {
  const required = ["IMAGE_URL", "IMAGE_DIGEST", "CHAINS-GIT_URL", "CHAINS-GIT_COMMIT"];
  const missing = required.filter((result) => !results.get(result));
  if (missing.length > 0) {
    throw new InputError(`the run has no ${missing.length === 1 ? "result" : "results"} ${missing.join(", ")}`, {
      where: `PipelineRun ${name}`,
      next: "declare them as results of the pipeline, and build again",
    });
  }
  const [url = "", digest = "", repositoryUrl = "", commit = ""] = required.map((result) => results.get(result));
  return { image: imageByDigest(url, digest), repositoryUrl, commit };
}

/** The image without its tag: a tag moves, and what was tested must be what is released. */
export function imageByDigest(url: string, digest?: string): string {
  const parsed = parseImageReference(url);
  const found = digest ?? parsed.digest;
  if (found === undefined || !isDigest(found)) {
    const problem = found === undefined ? `${url} has no digest` : `${JSON.stringify(found)} is not a valid digest`;
    throw new InputError(problem, { next: "give it as sha256: and 64 lower case hexadecimal digits" });
  }
  const { registry, repository } = parsed;
  return formatImageReference({ registry, repository, digest: found });
}

/** Whether an image names its content, and not a tag that moves. */
export function isByDigest(image: string): boolean {
  try {
    return parseImageReference(image).digest !== undefined;
  } catch {
    return false;
  }
}
