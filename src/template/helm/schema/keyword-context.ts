import type { JsonObject } from "#base";
import type { Draft } from "./draft.ts";
import type { Schema } from "./schema.ts";

/** What the keywords of one schema are compiled with. Their values have the shapes that the draft asks for. */
export interface KeywordContext {
  readonly object: JsonObject;
  readonly draft: Draft;
  /** A whole number. */
  readonly count: (keyword: string) => number | undefined;
  readonly number: (keyword: string) => number | undefined;
  readonly texts: (keyword: string) => readonly string[] | undefined;
  readonly schema: (keyword: string) => Schema | undefined;
  readonly schemas: (keyword: string) => readonly Schema[] | undefined;
  readonly schemaMap: (keyword: string) => ReadonlyMap<string, Schema> | undefined;
  readonly reference: (keyword: string) => Schema | undefined;
  /** A test by a regular expression of Go's. */
  readonly regexp: (pattern: string, keyword: string) => (text: string) => boolean;
}
