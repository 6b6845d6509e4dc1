import { nearestName } from "#base";

/** A guess compares with all paths, so their number is limited for bundles with thousands of broken references. */
const mostGuesses = 100;

/** Guesses which path was meant: one that differs by a letter or two, or a file of that name in another folder. */
export class PathGuesser {
  readonly #paths: ReadonlyMap<string, unknown>;
  #left = mostGuesses;

  constructor(paths: ReadonlyMap<string, unknown>) {
    this.#paths = paths;
  }

  guess(path: string): { readonly next?: string } {
    if (this.#left === 0) return {};
    this.#left--;
    const name = path.slice(path.lastIndexOf("/"));
    const paths = [...this.#paths.keys()];
    const near = nearestName(path, paths) ?? paths.find((candidate) => candidate.endsWith(name));
    return near === undefined ? {} : { next: `did you mean ${near}?` };
  }
}
