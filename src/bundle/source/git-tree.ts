import { posix } from "node:path";
import { InputError } from "#base";
import {
  explainGitError,
  fetchRef,
  findCommit,
  type GitCommit,
  type GitFile,
  type GitLocation,
  isRemoteRepository,
  listFiles,
  listRefs,
  prefixInRepository,
  readBlobs,
  refNotFound,
} from "#git";
import type { FileTree, TreeFile, TreeReader } from "./file-tree.ts";

/** The files of a commit, read from git's objects. Nothing is checked out, so no hook, filter or attribute applies. */
export function gitTree(location: GitLocation, cache: string): TreeReader {
  const { repository, ref, directory } = location;
  const name = `${repository}#${ref}${directory === "" ? "" : `:${directory}`}`;
  let last: { readonly commit: GitCommit; readonly tree: FileTree } | undefined;

  async function list(signal: AbortSignal): Promise<FileTree> {
    if (!isRemoteRepository(repository)) return listLocal(signal);
    await using fetched = await fetchRef(location, cache, signal);
    if (last?.commit.hash !== fetched.commit.hash) {
      const tree = await readTree(fetched.directory, fetched.commit, directory, name, signal);
      last = { commit: fetched.commit, tree: fetched.isTemporary ? await readAhead(tree, signal) : tree };
    }
    return last.tree;
  }

  async function listLocal(signal: AbortSignal): Promise<FileTree> {
    const [prefix, commit] = await Promise.all([
      prefixInRepository(repository, signal),
      findCommit(repository, ref, signal),
    ]);
    if (prefix === undefined) {
      throw new InputError("not in a git repository", {
        where: repository,
        next: `remove #${ref}, or run git init`,
      });
    }
    if (!commit) throw refNotFound(repository, ref, await listRefs(repository, signal));
    const below = posix.join(prefix, directory).replace(/^\.$/, "");
    return readTree(repository, commit, below, name, signal);
  }

  return { description: name, list };
}

async function readTree(
  repository: string,
  commit: GitCommit,
  below: string,
  name: string,
  signal: AbortSignal,
): Promise<FileTree> {
  const problems: InputError[] = [];
  const listed = await listFiles(repository, commit.hash, below, signal).catch((error: unknown) => {
    throw explainGitError(error, { repository });
  });
  const root = below === "" ? "" : `${below}/`;
  const where = (path: string) => `${name}${name.includes(":") && root !== "" ? "/" : ":"}${path}`;
  const found = listed
    .map(({ path, blob, isLink }) => ({ path: path.slice(root.length), blob, isLink }))
    .filter(({ path }) => !isHidden(path));
  const files = await followLinks(repository, found, where, problems, signal);
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]));
  return {
    files: files
      .map(({ path, blob }) => ({ path, version: blob }))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    problems,
    commit,
    where,
    async read(requested: readonly TreeFile[], take, abort) {
      const contents = await readBlobs(
        repository,
        requested.map(({ path }) => blobs.get(path) ?? ""),
        abort,
      );
      for (const [index, file] of requested.entries()) take(file, contents[index]);
    },
  };
}

/** The same tree with all contents in memory, independent of its repository. */
async function readAhead(tree: FileTree, signal: AbortSignal): Promise<FileTree> {
  const contents = new Map<string, Buffer | undefined>();
  await tree.read(tree.files, (file, content) => contents.set(file.path, content), signal);
  return {
    ...tree,
    read: (files, take) => {
      for (const file of files) take(file, contents.get(file.path));
      return Promise.resolve();
    },
  };
}

function isHidden(path: string): boolean {
  return path.split("/").some((step) => step.startsWith("."));
}

/** A link counts as its target file, as on disk. */
async function followLinks(
  repository: string,
  files: readonly GitFile[],
  where: (path: string) => string,
  problems: InputError[],
  signal: AbortSignal,
): Promise<GitFile[]> {
  const links = files.filter(({ isLink }) => isLink);
  if (links.length === 0) return [...files];
  const byPath = new Map(files.map((file) => [file.path, file]));
  const targets = await readBlobs(
    repository,
    links.map(({ blob }) => blob),
    signal,
  );
  const targetOf = new Map(
    links.map(({ path }, index) => [path, posix.join(posix.dirname(path), targets[index]?.toString() ?? "")]),
  );
  return files.flatMap((file) => {
    let target: GitFile | undefined = file;
    for (let steps = 0; target?.isLink && steps < 40; steps++) target = byPath.get(targetOf.get(target.path) ?? "");
    if (target && !target.isLink) return [{ ...file, blob: target.blob, isLink: false }];
    const next = "copy the file here, or fix the link";
    problems.push(new InputError("symbolic link does not point to a data file", { where: where(file.path), next }));
    return [];
  });
}
