import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { caseFamilies } from "./conformance-cases.ts";
import { generatedFrom, page, prose, table } from "./markdown.ts";

/** What a test says of a case: `A-11: a mixed list is returned untouched`. */
interface Promised {
  readonly ids: readonly string[];
  readonly promise: string;
  readonly file: string;
}

const id = String.raw`(?:[A-F]-\d+|G\d-\d{2}|X\d+|H\d{2}|[CD]\.\d)`;
/** The names of tests and the reasons of their rows: a literal that begins with ids and a colon. */
const claim = new RegExp(String.raw`(["'\x60])(${id}(?:, ${id})*): ((?:\\.|(?!\1).)*)\1`, "g");

/** The page of all cases, read from the names of the tests, which CI runs: what stands here as held was green when it landed. */
export async function conformanceReference(checkout: string): Promise<string> {
  const promises = await readPromises(checkout);
  const known = new Set(caseFamilies.flatMap(({ ids }) => ids));
  for (const { ids, file } of promises) {
    const unknown = ids.filter((each) => !known.has(each));
    if (unknown.length > 0) throw new Error(`${file} names cases that nobody knows: ${unknown.join(", ")}`);
  }
  const held = new Set(promises.flatMap(({ ids }) => ids));
  return page(
    generatedFrom("the names of the tests"),
    "# Conformance",
    [
      "What Tenon promises, case by case, in the words of the tests that show it.",
      "A case holds when a test carries its id: nothing lands while one of them is red.",
      `Of ${known.size} cases ${held.size} hold today; the others are not yet tried.`,
    ].join("\n"),
    ...caseFamilies.map((family) => section(family, promises)),
  );
}

function section({ title, ids }: { title: string; ids: readonly string[] }, promises: readonly Promised[]): string {
  const rows = ids.flatMap((each) => {
    const told = promises.filter((promised) => promised.ids.includes(each));
    return told.map(({ promise, file }, index) => [index === 0 ? each : "", prose(promise), `\`${file}\``]);
  });
  const open = ids.filter((each) => !promises.some((promised) => promised.ids.includes(each)));
  const parts = [`## ${title}`];
  if (rows.length > 0) parts.push(table(["Case", "Holds", "Shown by"], rows));
  if (open.length > 0) parts.push(`Not yet tried: ${open.join(", ")}.`);
  return parts.join("\n\n");
}

async function readPromises(checkout: string): Promise<Promised[]> {
  const files: string[] = [];
  for await (const file of glob("{src,test}/**/*.test.ts", { cwd: checkout })) files.push(file);
  const found = await Promise.all(
    files.toSorted().map(async (file) => promisesIn(file, await readFile(join(checkout, file), "utf8"))),
  );
  return found.flat();
}

function promisesIn(file: string, source: string): Promised[] {
  return [...source.matchAll(claim)].map(([written, , ids = "", text = ""]) => {
    const promise = readable(text);
    if (promise === "") throw new Error(`${file}: ${written} does not say what the case promises`);
    return { ids: ids.split(", "), promise, file };
  });
}

/** A placeholder at the end says which row it is, which nobody asks here: rows that are cases of their own carry their own ids. */
function readable(text: string): string {
  return text
    .replaceAll(/\\(["'`])/g, "$1")
    .replaceAll(/(?:[:,]? ?\(?(?:%s|\$(?!(?:ref|schema)\w*\b)\w+(?:\.\w+)*)\)?)+$/g, "")
    .replaceAll(/%s|\$(?!(?:ref|schema)\w*\b)\w+/g, "…");
}
