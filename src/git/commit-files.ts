import { randomUUID } from "node:crypto";
import { InputError } from "#base";
import { explainSigningError } from "./git-error.ts";
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
  const modes = await readModes(directory, content, signal);
  const absent = [...content.files.keys()].find((path) => !modes.has(path));
  if (absent !== undefined) throw new InputError(`${absent} is not a file of commit ${content.parent}`);
  const input = formatImport(content, modes, `refs/tenon/drafts/${randomUUID()}`);
  const output = await runGit(["fast-import", "--quiet", "--done"], { directory, input }, signal);
  const commit = output.toString().trim();
  return content.signingKeyFile === undefined ? commit : signCommit(directory, commit, content, signal);
}

/** What git's fast-import reads: one process writes all objects. The branch that it asks for is deleted at its end. */
function formatImport(
  { parent, files, message, author, timestamp }: CommitContent,
  modes: ReadonlyMap<string, string>,
  draft: string,
): Buffer {
  const who = `${identPart(author.name)} <${identPart(author.email)}> ${timestamp} +0000\n`;
  const changes = [...files].flatMap(([path, bytes]) => [
    `M ${modes.get(path)} inline ${quotePath(path)}\n`,
    data(bytes),
  ]);
  const parts = [
    `commit ${draft}\nmark :1\nauthor ${who}committer ${who}`,
    data(Buffer.from(message)),
    `from ${parent}\n`,
    ...changes,
    `get-mark :1\nreset ${draft}\nfrom ${"0".repeat(parent.length)}\n\ndone\n`,
  ];
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

function data(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}

/** As git writes names: fast-import takes them as they are. https://git-scm.com/docs/git-commit-tree#_commit_information */
function identPart(text: string): string {
  // oxlint-disable-next-line no-control-regex -- git drops them
  return text.replaceAll(/^[\u0000- .,:;<>"\\']+|[\u0000- .,:;<>"\\']+$|[<>\n]/g, "");
}

/** In C's syntax, which has no place for a line break. */
function quotePath(path: string): string {
  return `"${path.replaceAll(/[\\"]/g, (character) => `\\${character}`).replaceAll("\n", String.raw`\n`)}"`;
}

/** The same commit with a signature, which fast-import cannot make. */
async function signCommit(
  directory: string,
  commit: string,
  { parent, message, author: { name, email }, timestamp, signingKeyFile }: CommitContent,
  signal: AbortSignal,
): Promise<string> {
  const date = `${timestamp} +0000`;
  const variables = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const sign = ["-c", "gpg.format=ssh", "-c", `user.signingKey=${signingKeyFile}`];
  const args = [...sign, "commit-tree", "-S", "-p", parent, `${commit}^{tree}`];
  try {
    return (await runGit(args, { directory, variables, input: message }, signal)).toString().trim();
  } catch (error) {
    throw explainSigningError(error);
  }
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
