/** A test that CI runs, by its file and the beginning of its title as it is written there, or a line that a person can type. */
export type Proof = { readonly file: string; readonly title: string } | { readonly line: string };

/** One thing that a document promises or asks for, in our words. */
export interface SeedPromise {
  readonly says: string;
  readonly shownBy: readonly Proof[];
  /** What Tenon does in place of it, and why; a promise without a proof must say so. */
  readonly instead?: string;
}

export interface SeedDocument {
  readonly title: string;
  readonly about: string;
  readonly promises: readonly SeedPromise[];
}

export function byTest(file: string, title: string): Proof {
  return { file, title };
}

export function byLine(line: string): Proof {
  return { line };
}
