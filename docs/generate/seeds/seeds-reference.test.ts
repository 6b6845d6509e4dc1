import { describe, expect, test } from "vitest";
import { checkout } from "../generated-pages.ts";
import { byLine, byTest, type Proof, type SeedDocument } from "./seed-document.ts";
import { seedDocuments } from "./seed-documents.ts";
import { findMissingProofs, seedsPage } from "./seeds-reference.ts";

function documentWith(shownBy: readonly Proof[], instead?: string): SeedDocument {
  const promise = { says: "it works", shownBy, ...(instead === undefined ? {} : { instead }) };
  return { title: "a document", about: "About it.", promises: [promise] };
}

test("every test and command that the page of the five documents names exists", async () => {
  expect(await findMissingProofs(checkout, seedDocuments)).toEqual([]);
});

describe("a proof that does not exist is named", () => {
  const file = "docs/links.test.ts";
  const missing = [
    { reason: "a file", proof: byTest("src/nothing.test.ts", "it works"), says: "src/nothing.test.ts not found" },
    { reason: "a test", proof: byTest("docs/links.ts", "it works"), says: "docs/links.ts is not a test" },
    { reason: "a title", proof: byTest(file, "no such test"), says: `${file} has no test "no such test"` },
    {
      reason: "a title that was forgotten",
      proof: byTest(file, ""),
      says: `${file}: expected the title of a test, got nothing`,
    },
    { reason: "a command", proof: byLine("tenon fly"), says: "tenon fly: fly not found" },
    { reason: "a subcommand", proof: byLine("tenon promote fly"), says: "tenon promote fly: fly not found" },
    { reason: "an option", proof: byLine("tenon plan --fly"), says: "tenon plan --fly: --fly not found" },
    { reason: "a target of make", proof: byLine("make fly"), says: "make fly: target not found" },
    { reason: "a script", proof: byLine("node bench/fly.ts"), says: "node bench/fly.ts: bench/fly.ts not found" },
  ];
  test.for(missing)("$reason", async ({ proof, says }) => {
    expect(await findMissingProofs(checkout, [documentWith([proof])])).toEqual([says]);
  });
});

test("a promise without a proof must say what is done instead", async () => {
  expect(await findMissingProofs(checkout, [documentWith([])])).toEqual(["neither shown nor explained: it works"]);
  expect(await findMissingProofs(checkout, [documentWith([], "Nothing: it is not needed.")])).toEqual([]);
});

test("the page counts the promises that are shown", () => {
  const text = seedsPage([documentWith([byLine("tenon plan")]), documentWith([], "Nothing.")]);
  expect(text).toContain("Of 2 promises, 1 have a test or a command.");
  expect(text).toContain("| it works | `tenon plan` |");
});
