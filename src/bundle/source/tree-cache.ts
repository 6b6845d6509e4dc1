import { hash } from "node:crypto";
import { InputError, type JsonValue } from "#base";
import type { Datafile, FilePart, ResourceFile } from "../bundle.ts";
import type { FileTree, TreeFile } from "./file-tree.ts";
import { type FileRole, findFileRole } from "./file-role.ts";
import { parseDatafile, parseResource, sketchDatafile, type FileContent } from "./parse-file.ts";
import { decodeFileText, parseFileText } from "./parse-file-text.ts";

export interface KnownFile {
  readonly listed: TreeFile;
  readonly role: FileRole;
  readonly sha256: string;
  /** Parses it, on the first call. */
  readonly parse: () => ParsedFile | FileFailure;
}

/** Why a file could not be read, and what is known of it all the same. */
export interface FileFailure {
  readonly error: InputError;
  readonly sketch: Datafile;
}

/** The parsed content of a file. */
export type ParsedFile =
  | { readonly part: "data"; readonly datafile: Datafile }
  | { readonly part: "resources"; readonly resource: ResourceFile }
  | { readonly part: "schemas" | "description"; readonly value: JsonValue };

/** Caches the files of one tree, parsed ones and broken ones, and reads only files that changed. */
export class TreeCache {
  readonly #parts: ReadonlySet<FilePart>;
  #files = new Map<string, KnownFile>();
  #hadDataFolder = false;

  constructor(parts: readonly FilePart[]) {
    this.#parts = new Set(parts);
  }

  /** The files that belong to a part, in the order of the tree. */
  async update(tree: FileTree, signal: AbortSignal): Promise<readonly KnownFile[]> {
    const hasDataFolder = tree.files.some(({ path }) => path.startsWith("data/"));
    const slots: (KnownFile | undefined)[] = [];
    const unread = new Map<TreeFile, { readonly slot: number; readonly role: FileRole }>();
    for (const file of tree.files) {
      const known = this.#files.get(file.path);
      if (known?.listed.version === file.version && hasDataFolder === this.#hadDataFolder) {
        slots.push(known);
        continue;
      }
      const role = findFileRole(file.path, hasDataFolder);
      if (!role || !this.#parts.has(role.part)) continue;
      if (role.part !== "resources" && (file.size ?? 0) > mostBytes) {
        slots.push(tooLarge(file, role, file.size ?? 0, tree));
        continue;
      }
      unread.set(file, { slot: slots.length, role });
      slots.push(undefined);
    }
    this.#hadDataFolder = hasDataFolder;
    await tree.read(
      [...unread.keys()],
      (file, content) => {
        const target = unread.get(file);
        if (target && content) slots[target.slot] = this.#know(file, target.role, content, tree);
      },
      signal,
    );
    const files = slots.filter((file) => file !== undefined);
    if (unread.size > 0 || files.length !== this.#files.size) {
      this.#files = new Map(files.map((file) => [file.listed.path, file]));
    }
    return files;
  }

  #sameFile(path: string, { part }: FileRole): KnownFile | undefined {
    const known = this.#files.get(path);
    return known?.role.part === part ? known : undefined;
  }

  #know(listed: TreeFile, role: FileRole, bytes: Buffer, tree: FileTree): KnownFile {
    const sha256 = hash("sha256", bytes);
    const known = this.#sameFile(listed.path, role);
    if (known?.sha256 === sha256) return { ...known, listed };
    if (role.part !== "resources" && bytes.length > mostBytes) return tooLarge(listed, role, bytes.length, tree);
    const file = (): FileContent => ({ path: role.path, file: tree.where(listed.path), bytes, sha256 });
    return { listed, role, sha256, parse: once(() => parseOrSketch(role, file())) };
  }
}

/** The task is forgotten with what it holds: the bytes of a parsed file are not kept. */
function once<Result extends object>(task: () => Result): () => Result {
  let state: { readonly task: () => Result } | { readonly result: Result } = { task };
  return () => {
    if ("task" in state) state = { result: state.task() };
    return state.result;
  };
}

/** Larger than any data file that people write; parsing one of this size takes seconds. */
const mostBytes = 8 * 1024 * 1024;

function tooLarge(listed: TreeFile, role: FileRole, size: number, tree: FileTree): KnownFile {
  const file = tree.where(listed.path);
  const error = new InputError(`the file has ${(size / 1024 / 1024).toFixed(1)} MB, and at most 8 MB are read`, {
    where: file,
    next: "split it, or move files that are not data to resources/",
  });
  const sha256 = `${size} bytes`;
  const sketch = sketchDatafile({ path: role.path, file, bytes: Buffer.alloc(0), sha256 });
  return { listed, role, sha256, parse: () => ({ error, sketch }) };
}

function parseOrSketch(role: FileRole, file: FileContent): ParsedFile | FileFailure {
  const outcome = attempt(() => parse(role, file));
  return outcome instanceof InputError ? { error: outcome, sketch: sketchDatafile(file) } : outcome;
}

function parse({ part }: FileRole, file: FileContent): ParsedFile {
  if (part === "data") return { part, datafile: parseDatafile(file) };
  if (part === "resources") return { part, resource: parseResource(file) };
  return { part, value: parseFileText(decodeFileText(file.bytes, file.file), file.file) };
}

function attempt<Result>(task: () => Result): Result | InputError {
  try {
    return task();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}
