import { glob, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "./generate/generated-pages.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "docs/**/*.md",
  "examples/**/*.md",
  "charts/**/*.md",
  "test/**/README.md",
];

test("every relative link in a Markdown file leads to a file that exists, and to a heading of it", async () => {
  const files = await listPages();
  expect(files.length).toBeGreaterThan(80);
  const broken = await Promise.all(
    files.map(async (file) => {
      const problems = await Promise.all(linksOf(await readPage(file)).map((link) => checkLink(file, link)));
      return problems.flat();
    }),
  );
  expect(broken.flat()).toEqual([]);
});

test("docs/README.md links to every page of docs/ but the single decisions", async () => {
  const linked = new Set(
    linksOf(await readPage("docs/README.md")).map((link) => join("docs", link.replace(/#.*/, ""))),
  );
  const files = await listPages();
  const unlisted = files.filter(
    (file) => /^docs\/(?!decisions\/\d|README)/.test(file) && !linked.has(file) && file.endsWith(".md"),
  );
  expect(unlisted).toEqual([]);
});

test("docs/decisions/README.md lists every decision once, in order, with the status of its page", async () => {
  const files = await listPages();
  const records = files.filter((file) => /^docs\/decisions\/\d/.test(file)).toSorted();
  const expected = await Promise.all(
    records.map(async (file) => {
      const name = file.replace("docs/decisions/", "");
      const status = /^Status: (.+)$/m.exec(await readPage(file))?.[1] ?? "no status";
      return { number: name.slice(0, 4), name, status: status.split(";")[0] };
    }),
  );
  const index = await readPage("docs/decisions/README.md");
  const listed = [...index.matchAll(/^\| \[(\d{4})\]\(([^)]+)\) *\|[^|]+\| *([^|]*?) *\|$/gm)].map(
    ([, number, name, status]) => ({ number, name, status }),
  );
  expect(listed).toEqual(expected);
});

test("CHANGELOG.md says each change once", async () => {
  const lines = (await readPage("CHANGELOG.md")).split("\n").filter((line) => line.startsWith("- "));
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
});

test("the glossary has no word twice, and lists the words of each group in order", async () => {
  const groups = (await readPage("docs/glossary.md")).split(/^## /m).slice(1);
  const words = groups.map((group) =>
    [...group.matchAll(/^\| (?!Word|Name)([^|]+?) \| /gm)].map(([, word = ""]) => word.replaceAll("`", "")),
  );
  expect(words.flat().length).toBeGreaterThan(100);
  expect(words.flat().filter((word, index, all) => all.indexOf(word) !== index)).toEqual([]);
  const compare = new Intl.Collator("en", { ignorePunctuation: true }).compare;
  for (const group of words) expect(group).toEqual(group.toSorted(compare));
});

test.each([
  { heading: "What works today", slug: "what-works-today", reason: "letters become small, spaces dashes" },
  { heading: "`make up`, and `down`", slug: "make-up-and-down", reason: "marks and punctuation go" },
  { heading: "See [the reference](cli.md)", slug: "see-the-reference", reason: "a link counts by its text" },
  { heading: "From A -> B", slug: "from-a---b", reason: "dashes of the heading stay" },
])("the heading $heading has the anchor $slug: $reason", ({ heading, slug }) => {
  expect(slugOf(heading)).toBe(slug);
});

test("headings of the same text have numbered anchors, and headings in code have none", () => {
  expect([...anchorsOf("# A\n## B\n```sh\n# C\n```\n## B\n")]).toEqual(["a", "b", "b-1"]);
});

test("links in code are not links", () => {
  expect(linksOf("[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n![g](<h i.png>)\n[j]: k.md")).toEqual([
    "b.md",
    "h i.png",
    "k.md",
  ]);
});

async function listPages(): Promise<string[]> {
  const files = await Array.fromAsync(glob(pages, { cwd: checkout, exclude: (name) => name.includes("node_modules") }));
  return [...new Set(files)].toSorted();
}

function readPage(file: string): Promise<string> {
  return readFile(join(checkout, file), "utf8");
}

/** Says what is wrong with a link, if anything is. */
async function checkLink(page: string, link: string): Promise<string[]> {
  if (/^[a-z][a-z+.-]*:|^\/\//i.test(link)) return [];
  const [path = "", anchor] = decodeURIComponent(link).split("#", 2);
  const target = path === "" ? page : join(dirname(page), path);
  if (path.startsWith("/") || relative(".", target).startsWith("..")) return [`${page}: ${link} leaves the repository`];
  const found = await stat(join(checkout, target)).catch(() => undefined);
  if (found === undefined) return [`${page}: ${link}: ${target} does not exist`];
  if (anchor === undefined) return [];
  if (!target.endsWith(".md")) return [`${page}: ${link}: only Markdown files have headings`];
  return anchorsOf(await readPage(target)).has(anchor) ? [] : [`${page}: ${link}: ${target} has no such heading`];
}

function linksOf(markdown: string): string[] {
  const text = withoutFences(markdown).replaceAll(/(`+)[^`]*\1/g, "");
  const links = text.matchAll(/\]\((?:<([^>]*)>|([^\s)]+))(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s*(\S+)/gm);
  return Array.from(links, ([, bracketed, plain, defined]) => bracketed ?? plain ?? defined ?? "");
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[^]*?^ *\2[`~]* *$/gm, "");
}
