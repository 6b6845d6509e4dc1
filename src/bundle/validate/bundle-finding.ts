import type { FieldPath } from "#base";
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
}
