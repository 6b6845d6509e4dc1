import { explainGitError, GitError } from "./git-error.ts";
import { runGit } from "./run-git.ts";

export interface GitCommit {
  readonly hash: string;
  /** When it was committed, in Unix seconds. */
  readonly timestamp: string;
}

/** A file or a symbolic link in a commit's tree. */
export interface GitFile {
  /** From the repository's root, without a leading slash. */
  readonly path: string;
  /** Hash of the content. */
  readonly blob: string;
  readonly isLink: boolean;
}

/** The commit of a branch, tag or hash in the repository at or above `directory`; undefined when not found. */
export async function findCommit(directory: string, ref: string, signal: AbortSignal): Promise<GitCommit | undefined> {
  try {
    const args = ["log", "-1", "--no-show-signature", "--format=%H %ct", "--end-of-options", `${ref}^{commit}`];
    const output = await runGit(args, { directory }, signal);
    const [hash = "", timestamp = ""] = output.toString().trim().split(" ");
    return { hash, timestamp };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/unknown revision|bad revision|not a git repository|does not have any commits/.test(error.output)) {
      return undefined;
    }
    throw explainGitError(error, { repository: directory });
  }
}

/** The path of `directory` within its repository: empty at the root, else without slashes at its ends. */
export async function prefixInRepository(directory: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const output = await runGit(["rev-parse", "--show-prefix"], { directory }, signal);
    return output.toString().replace(/\/?\n$/, "");
  } catch (error) {
    if (error instanceof GitError && error.output.includes("not a git repository")) return undefined;
    throw explainGitError(error, { repository: directory });
  }
}

/** The branches and tags, by their short names. */
export async function listRefs(directory: string, signal: AbortSignal): Promise<string[]> {
  const args = ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"];
  return (await runGit(args, { directory }, signal)).toString().split("\n").filter(Boolean);
}

/** All files of a commit below `below`, in git's order; submodules are left out. */
export async function listFiles(
  directory: string,
  commit: string,
  below: string,
  signal: AbortSignal,
): Promise<GitFile[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, ...(below === "" ? [] : ["--", below])];
  const output = await runGit(args, { directory }, signal);
  const files: GitFile[] = [];
  for (const line of output.toString().split("\0")) {
    const match = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line);
    const [, mode, blob, path] = match ?? [];
    if (blob !== undefined && path !== undefined) files.push({ path, blob, isLink: mode === "120000" });
  }
  return files;
}

/** The contents of blobs, in the given order, read by one git process. */
export async function readBlobs(directory: string, blobs: readonly string[], signal: AbortSignal): Promise<Buffer[]> {
  if (blobs.length === 0) return [];
  const output = await runGit(["cat-file", "--batch"], { directory, input: `${blobs.join("\n")}\n` }, signal);
  const contents: Buffer[] = [];
  let at = 0;
  for (const blob of blobs) {
    const endOfLine = output.indexOf(0x0a, at);
    const [, kind, size] = output.toString("latin1", at, endOfLine).split(" ");
    if (kind !== "blob") throw new Error(`blob ${blob} not found in the repository ${directory}`);
    const end = endOfLine + 1 + Number(size);
    contents.push(output.subarray(endOfLine + 1, end));
    at = end + 1;
  }
  return contents;
}
