import { isJsonList, isJsonObject, type JsonValue } from "#base";
import type { EnvironmentData } from "../data/integration.ts";
import { defaultImage } from "../manager-defaults.ts";

/** Where the value of a parameter comes from. A later source of this list wins. */
export type ParameterSource =
  | "chart default"
  | "environment"
  | "process environment"
  | "upstream repositories"
  | "settings file"
  | "command line"
  | "built-in default"
  | "computed";

/** A value that a parameter has, or had before something stronger gave it another. */
export interface ParameterValue {
  readonly value: string;
  readonly source: ParameterSource;
  /** Which one of its kind: the environment's name, the option as it was given. */
  readonly detail?: string | undefined;
}

/** Who gives a parameter its value. */
export type ParameterGiver = Pick<ParameterValue, "source" | "detail">;

export interface ParameterEntry extends ParameterValue {
  /** Whether a Template of the chart has this parameter; otherwise its value is not used. */
  readonly isDeclared: boolean;
  /** The values it overrode, strongest first. */
  readonly overrode: readonly ParameterValue[];
}

/** For each parameter its value, who gave it, and what that overrode. */
export type ParameterTrail = ReadonlyMap<string, ParameterEntry>;

/** The sources of parameters, beside the chart. */
export interface ParameterInputs {
  readonly environment: EnvironmentData;
  readonly processEnv: Readonly<Record<string, string | undefined>>;
  /** What `--image` says, or what stands in for it. */
  readonly image?: string | undefined;
  /** Who gave the image; default: `--image`. */
  readonly imageFrom?: ParameterGiver | undefined;
  /** The image tag from a ref, if one is chosen for this environment. */
  readonly tag?: ParameterValue | undefined;
}

/** Of the repositories that an environment lists, the ref of the one that images are built from. */
export function refOfUpstream({ parameters }: EnvironmentData, upstream: string): string | undefined {
  const repositories = parameters["INTEGRATION_UPSTREAM_REPOS"];
  const found = isJsonList(repositories)
    ? repositories.find((one) => isJsonObject(one) && one["repo"] === upstream)
    : undefined;
  const ref = isJsonObject(found) ? found["ref"] : undefined;
  return typeof ref === "string" && ref !== "" ? ref : undefined;
}

/**
 * The value of each parameter, and where it is from. Weakest first: what the chart says, the environment, a variable of the
 * manager's own process with the name of a parameter, a ref, the command line. `declared` are the chart's parameters with
 * their defaults; what the environment has besides is kept, but not used.
 */
export function resolveParameters(declared: ReadonlyMap<string, string>, givers: ParameterInputs): ParameterTrail {
  const { environment, processEnv, image, imageFrom = commandLineImage, tag } = givers;
  const trail = new Map<string, ParameterEntry>();
  const give = (name: string, given: ParameterValue): void => {
    const weaker = trail.get(name);
    trail.set(name, {
      ...given,
      isDeclared: declared.has(name),
      overrode: weaker ? [valueOf(weaker), ...weaker.overrode] : nothing,
    });
  };
  for (const [name, value] of declared) {
    trail.set(name, { value, source: "chart default", isDeclared: true, overrode: nothing });
  }
  give("IMAGE", { value: defaultImage, source: "built-in default" });
  for (const [name, value] of Object.entries(environment.parameters)) {
    if (name === "IMAGE" && value === "") continue;
    give(name, { value: textOf(value), source: "environment", detail: environment.name });
  }
  for (const name of declared.keys()) {
    const value = processEnv[name];
    if (typeof value !== "string" || (name === "IMAGE" && value === "")) continue;
    give(name, { value, source: "process environment", detail: name });
  }
  if (tag) {
    give("IMAGE_TAG", tag);
    // The digest belongs to another tag, and an image with a digest is pulled by the digest.
    if (trail.has("IMAGE_DIGEST")) give("IMAGE_DIGEST", { value: "", source: tag.source, detail: tag.detail });
  }
  if (image) give("IMAGE", { value: image, ...imageFrom });
  for (const name of declared.keys()) {
    if (!name.endsWith(suffix)) continue;
    const owner = `${name.slice(0, -suffix.length)}_DIGEST`;
    give(name, { value: atDigest(trail.get(owner)?.value ?? ""), source: "computed", detail: `from ${owner}` });
  }
  return trail;
}

const commandLineImage: ParameterGiver = { source: "command line", detail: "--image" };
const suffix = "_AT_DIGEST";
const nothing: readonly ParameterValue[] = [];

function valueOf({ value, source, detail }: ParameterEntry): ParameterValue {
  return { value, source, ...(detail !== undefined && { detail }) };
}

/** What a Template is given: it knows its own defaults, and generates what has none. */
export function templateParameters(trail: ParameterTrail): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const [name, { value, source }] of trail) if (source !== "chart default") given[name] = value;
  return given;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What follows the tag of an image: nothing if there is no digest. */
function atDigest(digest: string): string {
  return digest === "" ? "" : `@${digest}`;
}
