import { type FieldPath, isJsonList, isJsonObject, type JsonValue, nearestName } from "#base";
import type { FilePart } from "../bundle.ts";

/** The reason of an error. All but the last are qontract-validator's, because programs match them. */
export type FindingReason =
  | "MISSING_SCHEMA_URL"
  | "META_SCHEMA_NOT_FOUND"
  | "SCHEMA_ERROR"
  | "VALIDATION_ERROR"
  | "SCHEMA_NOT_FOUND"
  | "FILE_NOT_FOUND"
  | "INCORRECT_SCHEMA"
  | "SCHEMA_REF_VALIDATION_ERROR"
  | "RESOURCE_FILE_NOT_FOUND"
  | "DUPLICATE_UNIQUE_FIELD"
  | "DUPLICATE_CONTEXT_UNIQUE_FIELD"
  | "IS_UNIQUE_ON_NON_TOP_LEVEL_TYPE"
  | "IS_UNIQUE_ON_COMPLEX_FIELD"
  | "UNREADABLE_FILE";

/** What was checked: a schema, a file, a reference, or uniqueness across files. */
export type FindingKind = "SCHEMA" | "FILE" | "REF" | "UNIQUE";

/** What is wrong with a value. */
export interface ValidationIssue {
  readonly what: string;
  /** What to do. */
  readonly next?: string;
  /** The path in the file; in the GraphQL description, the type and its field. */
  readonly at: FieldPath;
}

/** An issue of a file: an error if it has a reason, else a warning. */
export interface BundleFinding extends ValidationIssue {
  readonly part: FilePart;
  readonly path: string;
  readonly kind: FindingKind;
  readonly reason?: FindingReason;
  /** The schema of the file. */
  readonly schema?: string;
  /** Other data files that have the same issue: those with the same value in a unique field. */
  readonly alsoIn?: readonly string[];
}

const longest = 60;
const mostWords = 12;

/** A value for a message, shortened if it is long. */
export function describeValue(value: JsonValue): string {
  if (isJsonList(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? "an empty object" : "an object";
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** "a, b or c", shortened if there are many. */
export function listWords(words: readonly string[]): string {
  if (words.length === 0) return "nothing";
  if (words.length > mostWords) return `${words.slice(0, mostWords).join(", ")} and ${words.length - mostWords} others`;
  const [last, ...others] = words.toReversed();
  return others.length === 0 ? (last ?? "") : `${others.toReversed().join(", ")} or ${last}`;
}

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
