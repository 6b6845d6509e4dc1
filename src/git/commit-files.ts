import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "#base";
import { runGit } from "./run-git.ts";

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

/** A commit to make: the parent's tree with some of its files replaced. */
export interface CommitContent {
  readonly parent: string;
  /** New contents by path. Each file exists in the parent, and keeps its mode. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly message: string;
  readonly author: GitIdentity;
  /** In Unix seconds. The same content at the same time is the same commit, on any machine. */
  readonly timestamp: number;
  /** A private key for ssh, by which the commit is signed. */
  readonly signingKeyFile?: string;
}

/** Writes a commit into a bare repository, without a work tree, and returns its hash; no branch is changed. */
export async function commitFiles(directory: string, content: CommitContent, signal: AbortSignal): Promise<string> {
  await using temporary = await mkdtempDisposable(join(tmpdir(), "tenon-index-"));
  const variables = { GIT_INDEX_FILE: join(temporary.path, "index") };
  const git = async (args: readonly string[], input?: string | Uint8Array) =>
    (await runGit(args, { directory, variables, ...(input === undefined ? {} : { input }) }, signal)).toString().trim();
  await git(["read-tree", "--end-of-options", content.parent]);
  const modes = await readModes(directory, content, signal);
  const paths = [...content.files.keys()];
  const absent = paths.find((path) => !modes.has(path));
  if (absent !== undefined) throw new InputError(`${absent} is not a file of commit ${content.parent}`);
  // One process for all of them.
  const drafts = paths.map((_, index) => join(temporary.path, `${index}`));
  await Promise.all([...content.files.values()].map((bytes, index) => writeFile(drafts[index] ?? "", bytes)));
  const blobs = (await git(["hash-object", "-w", "--no-filters", "--stdin-paths"], `${drafts.join("\n")}\n`)).split(
    "\n",
  );
  const entries = paths.map((path, index) => `${modes.get(path)} ${blobs[index]}\t${path}\0`);
  await git(["update-index", "-z", "--index-info"], entries.join(""));
  const tree = await git(["write-tree"]);
  const { name, email } = content.author;
  const date = `${content.timestamp} +0000`;
  const identity = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const { signingKeyFile } = content;
  const sign = signingKeyFile === undefined ? [] : ["-c", "gpg.format=ssh", "-c", `user.signingKey=${signingKeyFile}`];
  const args = [...sign, "commit-tree", ...(sign.length > 0 ? ["-S"] : []), "-p", content.parent, tree];
  const commit = await runGit(args, { directory, variables: identity, input: content.message }, signal);
  return commit.toString().trim();
}

async function readModes(
  directory: string,
  { parent, files }: CommitContent,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", parent, "--", ...files.keys()];
  const output = (await runGit(args, { directory }, signal)).toString();
  const rows = [...output.matchAll(/(100\d{3}) blob [0-9a-f]+\t([^\0]+)\0/g)];
  return new Map(rows.map(([, mode = "", path = ""]) => [path, mode]));
}
