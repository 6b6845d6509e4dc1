import { tmpdir } from "node:os";
import { explainGitError, parseGitLocation, refNotFound, runGit } from "#git";

/** The commit that a ref of a repository means, whole. */
export type ResolveRef = (repository: string, ref: string, signal: AbortSignal) => Promise<string>;

const wholeCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const shortCommit = /^[0-9a-f]{7,64}$/;

/** Asks repositories, on any forge, for what their branches and tags mean: each once, so make one of these for each run. */
export function createRefResolver(): ResolveRef {
  const known = new Map<string, Promise<string>>();
  return (repository, ref, signal) => {
    const key = `${repository} ${ref}`;
    const asked = known.get(key) ?? askRepository(repository, ref, signal);
    known.set(key, asked);
    return asked;
  };
}

async function askRepository(written: string, writtenRef: string, signal: AbortSignal): Promise<string> {
  const { repository, ref } = parseGitLocation(`${written}#${writtenRef}`);
  if (wholeCommit.test(ref)) return ref;
  const refs = await listRemoteRefs(repository, signal);
  // A tag that is an object of its own is listed twice, the second time by its commit.
  const names = [ref, `refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`];
  const found = names.map((name) => refs.get(name)).find((commit) => commit !== undefined);
  if (found !== undefined) return found;
  if (shortCommit.test(ref)) return ref;
  const offered = [...refs.keys()].flatMap((name) => /^refs\/(?:heads|tags)\/(.+?)(?<!\^\{\})$/.exec(name)?.[1] ?? []);
  throw refNotFound(repository, ref, offered);
}

async function listRemoteRefs(repository: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const args = ["ls-remote", "--quiet", "--end-of-options", repository];
  const output = await runGit(args, { directory: tmpdir() }, signal).catch((error: unknown) => {
    throw explainGitError(error, repository);
  });
  return new Map(
    [...output.toString().matchAll(/^([0-9a-f]+)\t(.+)$/gm)].map(([, commit = "", name = ""]) => [name, commit]),
  );
}
