import { InputError } from "#base";
import type { GitRemote } from "#git";
import { GoRegexp } from "#golang";
import { formatRepository, parseImageReference, type Registries, resolveVerifiedDigest } from "#oci";
import type { Propagation, PropagationStage } from "../kinds/propagation.ts";
import { type AdvertisedImage, imageComponent, imageName } from "./advertised-image.ts";
import type { ProposedDigests } from "./decide-proposal.ts";
import type { EditRules, FileProblem, FileReference, LineChange } from "./edit-file.ts";
import { explainSourceError } from "./explain-propagation-error.ts";
import { type ReferenceScope, surveyReferences } from "./survey-references.ts";

export interface PlanPropagationDeps {
  readonly registries: Registries;
  /** A directory for copies of git repositories. */
  readonly cache: string;
}

/** What one pull request would hold. */
export interface StagePlan {
  readonly stage: string;
  readonly repository: string;
  readonly branch: string;
  /** The head of the base branch that was read. */
  readonly commit: string;
  readonly files: readonly PlannedFile[];
  /** Images that no file refers to, as `repository:tag`. */
  readonly unreferenced: readonly string[];
}

export interface PlannedFile {
  readonly path: string;
  readonly changes: readonly LineChange[];
  readonly references: readonly FileReference[];
  readonly problems: readonly FileProblem[];
}

/** Reads the tags and the base branches, and says what each stage would propose. Changes nothing. */
export async function planPropagation(
  { spec }: Propagation,
  deps: PlanPropagationDeps,
  signal: AbortSignal,
): Promise<StagePlan[]> {
  const { images: followed } = spec.source;
  if (!followed) {
    throw new InputError("which images a ReleasePlan has released is known to its cluster, and a plan asks none", {
      where: "spec.source.releasePlan",
      next: "name the images in spec.source.images to see what they would change",
    });
  }
  const images = await readAdvertised(followed, {}, deps.registries, signal);
  const plans: StagePlan[] = [];
  for (const stage of spec.stages) {
    await using survey = await surveyReferences(
      referenceScope(stage, { repository: stage.repository }),
      images,
      deps.cache,
      signal,
    );
    plans.push({
      stage: stage.name,
      repository: stage.repository,
      branch: stage.branch,
      commit: survey.commit.hash,
      files: survey.files.map(({ path, changes, references, problems }) => ({ path, changes, references, problems })),
      unreferenced: survey.unreferenced.map(({ repository, tag }) => `${repository}:${tag}`),
    });
  }
  return plans;
}

/** The digests that the tags have now. One that is not known yet is checked against its manifest before it is proposed. */
export async function readAdvertised(
  images: NonNullable<Propagation["spec"]["source"]["images"]>,
  known: ProposedDigests,
  registries: Registries,
  signal: AbortSignal,
): Promise<AdvertisedImage[]> {
  return Promise.all(
    images.map(async ({ repository, tag, component }, index) => {
      try {
        const image = parseImageReference(`${repository}:${tag}`);
        const name = formatRepository(image);
        const digest = await resolveVerifiedDigest(registries, image, known[`${name}:${tag}`], signal);
        if (digest !== undefined)
          return { repository: name, tag, digest, ...(component === undefined ? {} : { component }) };
      } catch (error) {
        throw explainSourceError(error, index);
      }
      throw new InputError(`${repository}:${tag} does not exist`, {
        where: `spec.source.images[${index}]`,
        next: "check repository and tag; an image gets the tag when it is released",
      });
    }),
  );
}

/** Where a stage's references are looked for. */
export function referenceScope(stage: PropagationStage, remote: GitRemote): ReferenceScope {
  const base = { ...remote, ref: stage.branch };
  return { base, paths: stage.paths?.map(trimSlashes) ?? [], rules: rulesOf(stage) };
}

/** Names for people, by `repository:tag`. */
export function componentNames({ spec, status }: Propagation): Readonly<Record<string, string>> {
  const followed = Object.keys(status?.advertised?.digests ?? {}).map((image) => {
    const at = image.lastIndexOf(":");
    return { repository: image.slice(0, at), tag: image.slice(at + 1) };
  });
  const images: readonly { repository: string; tag: string; component?: string }[] = spec.source.images ?? followed;
  return Object.fromEntries(
    images.map((image) => {
      const repository = formatRepository(parseImageReference(`${image.repository}:${image.tag}`));
      return [imageName({ ...image, repository }), imageComponent({ ...image, repository })];
    }),
  );
}

function rulesOf({ registryAliases = {}, patterns = [], name }: PropagationStage): EditRules {
  return {
    aliases: registryAliases,
    patterns: patterns.map(({ regexp, repository }, index) => {
      const where = `spec.stages[${name}].patterns[${index}].regexp`;
      const compiled = compile(regexp, where);
      if (!compiled.groupNames.includes("currentDigest")) {
        const next = "mark what is replaced, like (?P<currentDigest>sha256:[a-f0-9]+)";
        throw new InputError("the pattern has no group currentDigest", { where, next });
      }
      return { regexp: compiled, ...(repository === undefined ? {} : { repository }) };
    }),
  };
}

function compile(pattern: string, where: string): GoRegexp {
  try {
    return new GoRegexp(pattern);
  } catch (cause) {
    throw new InputError(`not a valid RE2 pattern: ${cause instanceof Error ? cause.message : ""}`, { where, cause });
  }
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, "").replace(/\/+$/, "");
}
