import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFiles } from "#git";
import { fc, seed } from "#seeded";
import { sampleRepository, type SampleRepository } from "../../git/sample-repository.fixture.ts";
import { advertised, type TreePair, treePairs } from "./random-trees.fixture.ts";
import { surveyReferences } from "./survey-references.ts";

const { signal } = new AbortController();

/** A commit of these files on branch main, with every second one executable, by a single process of git. */
function importTree({ path }: SampleRepository, tree: TreePair): void {
  const files = [...tree].map(([name, { before }], index) => {
    return `M ${modeOf(index)} inline ${JSON.stringify(name)}\ndata ${Buffer.byteLength(before)}\n${before}\n`;
  });
  const head = "commit refs/heads/main\ncommitter A <a@example.com> 1763200000 +0000\ndata 1\nx\n";
  execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: path, input: `${head}${files.join("")}` });
}

/** What differs between two commits, as git sees it. */
function changesBetween(directory: string, one: string, other: string): Map<string, string> {
  const output = execFileSync("git", ["diff-tree", "-r", "-z", "--no-renames", one, other], { cwd: directory });
  const fields = output.toString().split("\0").filter(Boolean);
  const rows = fields.flatMap((field, index) => (index % 2 === 0 ? [[fields[index + 1] ?? "", field] as const] : []));
  return new Map(rows);
}

/** The same, as the generator of the trees knows it. */
function expectedChanges(tree: TreePair): Map<string, string> {
  const rows = [...tree].map(([path, { before, after }], index) => {
    const mode = modeOf(index);
    return [path, `:${mode} ${mode} ${blobHash(before)} ${blobHash(after)} M`] as const;
  });
  return new Map(rows.filter(([path]) => tree.get(path)?.before !== tree.get(path)?.after));
}

function modeOf(index: number): string {
  return index % 2 === 0 ? "100644" : "100755";
}

/** https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function blobHash(text: string): string {
  const bytes = Buffer.from(text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

test(`a proposal for 200 random trees changes digests alone, byte for byte (P46, P51, seed ${seed})`, async () => {
  await using repository = await sampleRepository();
  const trees = fc.sample(treePairs, { numRuns: 200, seed });
  // All in one commit, because most of the time would go into starting git.
  const tree: TreePair = new Map(
    trees.flatMap((one, index) => [...one].map(([path, text]) => [`tree-${index}/${path}`, text] as const)),
  );
  importTree(repository, tree);
  const scope = { base: { repository: repository.path, ref: "main" }, paths: [], rules: { aliases: {}, patterns: [] } };
  await using survey = await surveyReferences(scope, advertised, join(repository.path, "cache"), signal);
  const { directory, commit } = survey;
  const files = new Map(survey.files.flatMap(({ path, content }) => (content ? [[path, content]] : [])));
  const author = { name: "Tenon", email: "tenon@localhost" };
  const proposal = { parent: commit.hash, files, message: "x", author, timestamp: 1_763_200_000 };
  const made = await commitFiles(directory, proposal, signal);
  expect(files.size).toBeGreaterThan(200);
  expect(changesBetween(directory, commit.hash, made)).toEqual(expectedChanges(tree));
});
