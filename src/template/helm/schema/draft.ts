/** A version of JSON Schema: 4, 6, 7, 2019 (2019-09) or 2020 (2020-12). */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

/** The one that a schema without `$schema` has. */
export const latestDraft: Draft = 2020;

const drafts = new Map<string, Draft>([
  ["json-schema.org/schema", latestDraft],
  ["json-schema.org/draft/2020-12/schema", 2020],
  ["json-schema.org/draft/2019-09/schema", 2019],
  ["json-schema.org/draft-07/schema", 7],
  ["json-schema.org/draft-06/schema", 6],
  ["json-schema.org/draft-04/schema", 4],
]);

/** The draft that the value of `$schema` names; `undefined` if it is none of these. */
export function draftOf(url: string): Draft | undefined {
  return drafts.get(url.replace(/^https?:\/\//, "").replace(/#$/, ""));
}

/** The keyword that gives a schema its address. */
export function idKeyword(draft: Draft): "id" | "$id" {
  return draft === 4 ? "id" : "$id";
}
