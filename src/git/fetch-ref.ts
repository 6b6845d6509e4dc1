import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { InputError } from "#base";
import type { GitRemote } from "./git-credentials.ts";
import { explainGitError, GitError } from "./git-error.ts";
import { findCommit, type GitCommit } from "./repository.ts";
import { runGit } from "./run-git.ts";

/** Where copies of remote repositories are kept for this user. */
export function gitCache(env: NodeJS.ProcessEnv): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "tenon", "git");
}

/** A commit of a remote repository, by branch, tag or hash. */
export interface RemoteRef extends GitRemote {
  readonly ref: string;
}

export interface FetchedCommit extends AsyncDisposable {
  /** A bare repository that holds the commit. */
  readonly directory: string;
  /** Whether disposing deletes it. */
  readonly isTemporary: boolean;
  readonly commit: GitCommit;
}

/**
 * Fetches one commit of a remote repository into a bare copy below `cache`, without its history.
 * The copy is kept and shared, so that the next fetch transfers only what is new. Another process may hold its lock, or
 * may have been killed and left one: after an unknown failure, the commit is fetched into a temporary copy.
 */
export async function fetchRef(remote: RemoteRef, cache: string, signal: AbortSignal): Promise<FetchedCommit> {
  const { repository } = remote;
  const shared = join(cache, createHash("sha256").update(repository).digest("hex").slice(0, 32));
  await makeShared(shared, signal);
  try {
    const commit = await fetchInto(shared, remote, signal);
    return { directory: shared, isTemporary: false, commit, [Symbol.asyncDispose]: () => Promise.resolve() };
  } catch (error) {
    const explained = explainGitError(error, remote);
    if (!(explained instanceof GitError)) throw explained;
  }
  const directory = await makeRepository(shared, signal);
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const commit = await fetchInto(directory, remote, signal);
    return { directory, isTemporary: true, commit, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw explainGitError(error, remote);
  }
}

/** Created under another name and moved, so that it never exists half-made, whichever process is first. */
async function makeShared(shared: string, signal: AbortSignal): Promise<void> {
  if (existsSync(shared)) return;
  await mkdir(dirname(shared), { recursive: true, mode: 0o700 });
  const draft = await makeRepository(shared, signal);
  await rename(draft, shared).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(shared)) throw error;
  });
}

async function makeRepository(beside: string, signal: AbortSignal): Promise<string> {
  const directory = await mkdtemp(`${beside}-`);
  await runGit(["init", "--quiet", "--bare", "--template=", "."], { directory }, signal);
  return directory;
}

async function fetchInto(directory: string, remote: RemoteRef, signal: AbortSignal): Promise<GitCommit> {
  const { repository, ref } = remote;
  const kept = `refs/tenon/${createHash("sha256").update(ref).digest("hex").slice(0, 16)}`;
  const fetch = ["fetch", "--quiet", "--no-tags", "--force", "--no-write-fetch-head", "--no-recurse-submodules"];
  try {
    const args = [...fetch, "--depth=1", "--end-of-options", repository, `+${ref}:${kept}`];
    await runGit(args, { directory, remote }, signal);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/couldn't find remote ref/.test(error.output)) throw await unknownRef(directory, remote, signal);
    // Some servers give a commit only through a branch that contains it.
    if (!/unadvertised object|not our ref/.test(error.output)) throw error;
    const everything = ["+refs/heads/*:refs/tenon/heads/*", "+refs/tags/*:refs/tenon/tags/*"];
    await runGit([...fetch, "--end-of-options", repository, ...everything], { directory, remote }, signal);
    const commit = await findCommit(directory, ref, signal);
    if (!commit) throw await unknownRef(directory, remote, signal);
    return commit;
  }
  const commit = await findCommit(directory, kept, signal);
  if (!commit)
    throw new InputError(`${ref} is not a commit`, { where: repository, next: "name a branch, tag or commit" });
  return commit;
}

async function unknownRef(directory: string, remote: RemoteRef, signal: AbortSignal): Promise<Error> {
  const { repository, ref } = remote;
  const args = ["ls-remote", "--quiet", "--heads", "--tags", "--refs", "--end-of-options", repository];
  const output = (await runGit(args, { directory, remote }, signal)).toString();
  const names = [...output.matchAll(/\trefs\/(?:heads|tags)\/(.+)$/gm)].map(([, name = ""]) => name);
  return refNotFound(repository, ref, names);
}

/** Lists the branches and tags that exist. */
export function refNotFound(repository: string, ref: string, names: readonly string[]): InputError {
  const few = names.slice(0, 10).join(", ");
  const next =
    names.length === 0
      ? "the repository has no branches"
      : `the repository has ${few}${names.length > 10 ? ` and ${names.length - 10} more` : ""}`;
  return new InputError(`branch, tag or commit ${ref} not found`, { where: repository, next });
}
