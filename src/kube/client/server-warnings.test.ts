import { expect, it } from "vitest";
import { readWarnings } from "./server-warnings.ts";

it.each([
  { reason: "no header", header: undefined, texts: [] },
  { reason: "one", header: '299 - "v1beta1 is deprecated"', texts: ["v1beta1 is deprecated"] },
  { reason: "escaped quotes", header: String.raw`299 - "unknown field \"dataa\""`, texts: ['unknown field "dataa"'] },
  {
    reason: "several, one with a comma and what looks like a warning in it",
    header: String.raw`299 - "a, 299 - \"b\"", 299 kubernetes "c\\"`,
    texts: ['a, 299 - "b"', "c\\"],
  },
  { reason: "warnings of caches are not the API server's", header: '110 - "Response is Stale"', texts: [] },
  { reason: "nonsense", header: 'nonsense "x"', texts: [] },
])("$reason", ({ header, texts }) => {
  expect(readWarnings(header)).toEqual(texts);
});
