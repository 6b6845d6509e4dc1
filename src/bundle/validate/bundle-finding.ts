import type { FieldPath } from "#base";
import type { FilePart } from "../bundle.ts";

/** Why something is refused. But for the last, the words of qontract-validator, which programs know. */
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

/** What was looked at: a schema, a file by itself, a reference, or files beside each other. */
export type FindingKind = "SCHEMA" | "FILE" | "REF" | "UNIQUE";

export interface ValidationIssue {
  readonly what: string;
  /** What to do about it. */
  readonly next?: string;
  /** Where in the file; in the GraphQL description, which type and which of its fields. */
  readonly at: FieldPath;
}

/** An error, which has a reason, or a warning, which has none. */
export interface BundleFinding extends ValidationIssue {
  readonly part: FilePart;
  readonly path: string;
  readonly kind: FindingKind;
  readonly reason?: FindingReason;
  /** The schema that was followed. */
  readonly schema?: string;
}
