import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { fc, seed } from "#seeded";
import { editFile, isEditable } from "./edit-file.ts";
import { advertised, maskDigests, treePairs } from "./random-trees.fixture.ts";

const rules = { aliases: {}, patterns: [] };

function edit(path: string, text: string): string {
  const isRead = isEditable(path, rules);
  return isRead ? (editFile(path, Buffer.from(text), advertised, rules).content?.toString() ?? text) : text;
}

/** By another reader than Tenon's own. */
function parse(text: string): string {
  return JSON.stringify(loadAll(text.replace(/^\uFEFF/, "")));
}

test(`in 200 random trees an edit changes digests alone, the documents differ in them alone, and a second edit changes nothing (P46, P51, seed ${seed})`, () => {
  fc.assert(
    fc.property(treePairs, (tree) => {
      const files = [...tree].map(([path, { before, after }]) => ({ path, before, after }));
      const edited = files.map(({ path, before }) => edit(path, before));
      expect(edited).toEqual(files.map(({ after }) => after));
      expect(edited.map(maskDigests)).toEqual(files.map(({ before }) => maskDigests(before)));
      expect(files.map(({ path, after }) => edit(path, after))).toEqual(edited);
      const documents = files.filter(({ path }) => !/broken|README|Dockerfile/.test(path));
      expect(documents.map(({ after }) => maskDigests(parse(after)))).toEqual(
        documents.map(({ before }) => maskDigests(parse(before))),
      );
    }),
    { numRuns: 200 },
  );
});
