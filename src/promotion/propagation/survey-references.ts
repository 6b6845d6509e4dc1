import { fetchRef, type GitCommit, type GitFile, listFiles, readBlobs, type RemoteRef } from "#git";
import type { AdvertisedImage } from "./advertised-image.ts";
import type { ProposedDigests } from "./decide-proposal.ts";
import { type EditedFile, type EditRules, editFile, type FileReference, isEditable } from "./edit-file.ts";

/** Where references are looked for. */
export interface ReferenceScope {
  readonly base: RemoteRef;
  /** Directories or files, without slashes at their ends; empty for all. */
  readonly paths: readonly string[];
  readonly rules: EditRules;
}

/** What the base branch says of the advertised images. */
export interface SurveyedReferences extends AsyncDisposable {
  /** A bare repository that holds the base commit. */
  readonly directory: string;
  readonly commit: GitCommit;
  /** Files with a reference or a problem. */
  readonly files: readonly EditedFile[];
  /** What has to change; empty if every reference has its digest. */
  readonly wanted: ProposedDigests;
  /** What the references have, for images whose references have one and the same digest. */
  readonly present: ProposedDigests;
  /** Images that no file refers to. */
  readonly unreferenced: readonly AdvertisedImage[];
}

/** Reads the head of the base branch, without its history, and edits in memory what refers to the images. */
export async function surveyReferences(
  { base, paths, rules }: ReferenceScope,
  images: readonly AdvertisedImage[],
  cache: string,
  signal: AbortSignal,
): Promise<SurveyedReferences> {
  const fetched = await fetchRef(base, cache, signal);
  try {
    const { directory, commit } = fetched;
    const all = await listFiles(directory, commit.hash, "", signal);
    const candidates = all.filter((file) => isCandidate(file, paths, rules));
    const contents = await readBlobs(
      directory,
      candidates.map(({ blob }) => blob),
      signal,
    );
    const files = candidates
      .map(({ path }, index) => editFile(path, contents[index] ?? Buffer.alloc(0), images, rules))
      .filter(({ references, problems }) => references.length > 0 || problems.length > 0);
    const dispose = () => fetched[Symbol.asyncDispose]();
    return { directory, commit, files, ...summarise(files, images), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await fetched[Symbol.asyncDispose]();
    throw error;
  }
}

/** A symbolic link leads to a file that is edited where it is. */
function isCandidate({ path, isLink }: GitFile, paths: readonly string[], rules: EditRules): boolean {
  if (isLink || !isEditable(path, rules)) return false;
  return paths.length === 0 || paths.some((below) => path === below || path.startsWith(`${below}/`));
}

function summarise(files: readonly EditedFile[], images: readonly AdvertisedImage[]) {
  const references = files.flatMap((file) => file.references);
  const changed = files.filter(({ content }) => content !== undefined).flatMap((file) => file.references);
  const wanted = Object.fromEntries(
    changed
      .filter((reference) => fullDigest(reference) !== reference.image.digest)
      .map(({ image }) => [`${image.repository}:${image.tag}`, image.digest]),
  );
  const present = images.flatMap((image) => {
    const [first, ...others] = new Set(references.filter((one) => one.image === image).map(fullDigest));
    return first === undefined || others.length > 0 ? [] : [[`${image.repository}:${image.tag}`, first]];
  });
  return {
    wanted,
    present: Object.fromEntries(present),
    unreferenced: images.filter((image) => !references.some((one) => one.image === image)),
  };
}

/** Some Helm values have the hash without its algorithm. */
function fullDigest({ digestBefore }: FileReference): string | undefined {
  return digestBefore !== undefined && /^[0-9a-f]{64}$/.test(digestBefore) ? `sha256:${digestBefore}` : digestBefore;
}
