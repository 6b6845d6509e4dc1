import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type Clock, InputError, Semaphore, systemClock } from "#base";
import type { Bundle, BundleReading, BundleSource, OriginalFile, SourceChanges, UnparsedBundle } from "../bundle.ts";
import { BundleAssembler, commitInfo, identify } from "./bundle-assembler.ts";
import { debounceChanges } from "./debounce-changes.ts";
import type { FileTree, TreeReader } from "./file-tree.ts";
import { type KnownFile, TreeCache } from "./tree-cache.ts";

/** Loads bundles from trees of files: one with the data, and optionally one with schemas before it. */
export class TreeSource implements BundleSource {
  readonly description: string;
  readonly changes?: (signal: AbortSignal) => AsyncIterable<SourceChanges>;
  readonly #trees: readonly { readonly reader: TreeReader; readonly cache: TreeCache }[];
  readonly #assembler = new BundleAssembler();
  readonly #oneAtATime = new Semaphore(1);

  constructor(data: TreeReader, schemas?: TreeReader, clock: Clock = systemClock) {
    this.description = data.description;
    this.#trees = [
      ...(schemas ? [{ reader: schemas, cache: new TreeCache(["schemas", "description"]) }] : []),
      { reader: data, cache: new TreeCache(["data", "resources", "schemas", "description"]) },
    ];
    const watches = this.#trees.map(({ reader }) => reader.watch?.bind(reader));
    if (watches.some((watch) => watch !== undefined))
      this.changes = (signal) => debounceChanges(watches, clock, signal);
  }

  async load(signal: AbortSignal, changes?: SourceChanges): Promise<Bundle> {
    const { bundle, problems } = await this.read(signal, changes);
    throwUnreadable(this.description, problems);
    return bundle;
  }

  read(signal: AbortSignal, changes: SourceChanges = []): Promise<BundleReading> {
    return this.#oneAtATime.run(async () => (await this.#readUnparsed(signal, changes)).parse(signal), signal);
  }

  readUnparsed(signal: AbortSignal): Promise<UnparsedBundle> {
    return this.#oneAtATime.run(() => this.#readUnparsed(signal, []), signal);
  }

  async #readUnparsed(signal: AbortSignal, changes: SourceChanges): Promise<UnparsedBundle> {
    const listings = await Promise.all(
      this.#trees.map(async ({ reader, cache }, index) => {
        const changed = changes[index];
        const tree = await reader.list(signal, typeof changed === "object" ? changed : undefined);
        return { tree, files: await cache.update(tree, signal) };
      }),
    );
    const files = listings.flatMap((listing) => listing.files);
    return {
      identity: identify(files),
      ...commitInfo(listings.at(-1)?.tree.commit),
      problems: listings.flatMap(({ tree }) => tree.problems),
      parse: (abort) => this.#parse(listings, files, abort),
    };
  }

  async #parse(listings: readonly Listing[], files: readonly KnownFile[], signal: AbortSignal): Promise<BundleReading> {
    for (const [index, { parse }] of files.entries()) {
      parse();
      if ((index + 1) % filesBetweenPauses !== 0) continue;
      await setImmediate();
      signal.throwIfAborted();
    }
    const { bundle, problems } = this.#assembler.assemble(files, listings.at(-1)?.tree.commit);
    const all = [...listings.flatMap(({ tree }) => tree.problems), ...problems];
    if (bundle.datafiles.size === 0 && all.length === 0) throw noData(this.description);
    return { bundle, problems: all, find: originalFinder(listings) };
  }
}

const filesBetweenPauses = 256;

/** A directory without data files is usually a wrong path, and loading it would delete everything. */
function noData(description: string): InputError {
  return new InputError(`${description} contains no data files`, {
    next: "use the directory that contains data/, or one with .yml, .yaml or .json files",
  });
}

interface Listing {
  readonly tree: FileTree;
  readonly files: readonly KnownFile[];
}

function originalFinder(listings: readonly Listing[]): BundleReading["find"] {
  let originals: Map<string, OriginalFile> | undefined;
  return (part, path) => {
    originals ??= new Map(
      listings.flatMap(({ tree, files }) =>
        files.map((known) => [
          `${known.role.part} ${known.role.path}`,
          { file: tree.where(known.listed.path), text: (signal: AbortSignal) => readAgain(known, tree, signal) },
        ]),
      ),
    );
    return originals.get(`${part} ${path}`);
  };
}

async function readAgain(
  { listed, sha256 }: KnownFile,
  tree: FileTree,
  signal: AbortSignal,
): Promise<string | undefined> {
  let text: string | undefined;
  await tree.read(
    [listed],
    (_, content) => {
      if (content && hash("sha256", content) === sha256) text = content.toString("utf8");
    },
    signal,
  );
  return text;
}

/** Throws if there are problems: the only one, or an error that lists them all. */
export function throwUnreadable(description: string, problems: readonly InputError[]): void {
  const [first, ...others] = problems;
  if (!first) return;
  if (others.length === 0) throw first;
  throw new InputError(`cannot read ${problems.length} files of ${description}`, {
    next: "fix these files, or name the directory that has the data files and nothing else",
    cause: new AggregateError(problems, "errors by file:"),
  });
}
