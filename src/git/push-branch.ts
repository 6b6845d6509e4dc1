import { InputError } from "#base";
import type { GitRemote } from "./git-credentials.ts";
import { explainGitError, GitError } from "./git-error.ts";
import { runGit } from "./run-git.ts";

export interface RemoteBranch extends GitRemote {
  readonly branch: string;
}

/** `moved`: the branch is not at the expected commit any more, so that nothing was pushed. */
export type PushOutcome = "pushed" | "moved";

/** The commit at the head of a remote branch; undefined if the branch does not exist. */
export async function readRemoteHead(
  directory: string,
  remote: RemoteBranch,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { repository, branch } = remote;
  const args = ["ls-remote", "--quiet", "--refs", "--end-of-options", repository, `refs/heads/${branch}`];
  try {
    const output = await runGit(args, { directory, remote }, signal);
    return /^[0-9a-f]+/.exec(output.toString())?.[0];
  } catch (error) {
    throw explainGitError(error, remote);
  }
}

/**
 * Sets a remote branch to `commit`, or deletes it if `commit` is undefined, only while its head is `expected` (undefined: while
 * the branch does not exist). The server compares and sets, so that commits of others are never lost.
 */
export async function pushBranch(
  directory: string,
  remote: RemoteBranch,
  commit: string | undefined,
  expected: string | undefined,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const { repository, branch } = remote;
  const lease = `--force-with-lease=refs/heads/${branch}:${expected ?? ""}`;
  const refspec = `${commit ?? ""}:refs/heads/${branch}`;
  const args = ["push", "--porcelain", "--no-verify", lease, "--end-of-options", repository, refspec];
  try {
    await runGit(args, { directory, remote }, signal);
    return "pushed";
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // The server can also refuse because another push was faster: https://git-scm.com/docs/git-push#_output
    if (/stale info|reference already exists|cannot lock ref|fetch first/.test(`${error.said}\n${error.output}`)) {
      return "moved";
    }
    throw explainRefusal(error, repository, branch) ?? explainGitError(error, remote);
  }
}

function explainRefusal(error: GitError, repository: string, branch: string): InputError | undefined {
  const said = `${error.said}\n${error.output}`;
  if (/protected branch|pre-receive hook declined|GH006|not allowed to (force )?push/i.test(said)) {
    return new InputError(`the server does not allow Tenon to push to branch ${branch}`, {
      where: repository,
      next: "allow the account to push to this branch, or choose another branch prefix",
      cause: error,
    });
  }
  if (/error: 403|HTTP 403|denied|read.only/i.test(said)) {
    return new InputError("the credentials do not allow a push", {
      where: repository,
      next: "give the account or token write access to the repository's contents",
      cause: error,
    });
  }
  return undefined;
}
