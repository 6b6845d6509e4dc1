import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { answeredOtherwise } from "./answered-otherwise.ts";
import { type CaseFamily, caseFamilies } from "./conformance-cases.ts";
import { generatedFrom, page, prose, table } from "./markdown.ts";

/** The statement of a test about a case: `A-11: a mixed list is returned untouched`. */
export interface Promised {
  readonly ids: readonly string[];
  readonly promise: string;
  readonly file: string;
}

const id = String.raw`(?:[A-F]-\d+|G\d-\d{2}|X\d+|H\d{2}|P\d+|[CD]\.\d)`;
/** The names of tests and the reasons of their rows: a literal that begins with ids and a colon. */
const claim = new RegExp(String.raw`(["'\x60])(${id}(?:, ${id})*): ((?:\\.|(?!\1).)*)\1`, "g");

/** The page of all cases, read from the titles of the tests that CI runs. */
export async function conformanceReference(checkout: string): Promise<string> {
  return conformancePage(await readPromises(checkout), answeredOtherwise);
}

/** Throws on an unknown case, and on one that is both answered otherwise and held. */
export function conformancePage(promises: readonly Promised[], otherwise: Readonly<Record<string, string>>): string {
  const known = new Set(caseFamilies.flatMap(({ ids }) => ids));
  for (const { ids, file } of promises) {
    const unknown = ids.filter((each) => !known.has(each));
    if (unknown.length > 0) throw new Error(`${file} names unknown cases: ${unknown.join(", ")}`);
    const both = ids.filter((each) => Object.hasOwn(otherwise, each));
    if (both.length > 0) throw new Error(`${file} holds cases that answered-otherwise.ts lists: ${both.join(", ")}`);
  }
  const answered = Object.keys(otherwise);
  const unknown = answered.filter((each) => !known.has(each));
  if (unknown.length > 0) throw new Error(`answered-otherwise.ts names unknown cases: ${unknown.join(", ")}`);
  const held = new Set(promises.flatMap(({ ids }) => ids));
  const unshown = known.size - held.size - answered.length;
  return page(
    generatedFrom("the names of the tests and `docs/generate/answered-otherwise.ts`"),
    "# Conformance",
    [
      "What Tenon promises, case by case, in the titles of the tests that prove it, for contributors.",
      "The ids come from the specifications that Tenon was written from, which describe qontract-reconcile, integration-operator and Konflux; each row can be read without them.",
      "A case holds when a test carries its id: no change lands while one of these tests fails.",
      "Some cases describe the insides of another program, or ask for what a decision ruled out: there Tenon does something else, which the page says.",
      `Of ${known.size} cases ${held.size} hold, ${unshown === 0 ? "" : `${unshown} have no test, `}and for ${answered.length} Tenon does something else.`,
    ].join("\n"),
    ...caseFamilies.map((family) => section(family, promises, otherwise)),
  );
}

function section(
  { title, about, ids }: CaseFamily,
  promises: readonly Promised[],
  otherwise: Readonly<Record<string, string>>,
): string {
  const rows = ids.flatMap((each) => {
    const held = promises.filter((promised) => promised.ids.includes(each));
    return held.map(({ promise, file }, index) => [index === 0 ? each : "", prose(promise), `\`${file}\``]);
  });
  const answered = ids.flatMap((each) => {
    const answer = otherwise[each];
    return answer === undefined ? [] : [[each, prose(answer)]];
  });
  const settled = new Set([...promises.flatMap((promised) => promised.ids), ...Object.keys(otherwise)]);
  const open = ids.filter((each) => !settled.has(each));
  const parts = [`## ${title}`, about];
  if (rows.length > 0) parts.push(table(["Case", "Holds", "Shown by"], rows));
  if (answered.length > 0) parts.push("What Tenon does instead:", table(["Case", "What Tenon does"], answered));
  if (open.length > 0) parts.push(`No test yet: ${open.join(", ")}.`);
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

/** Drops a placeholder at the end, which only tells the rows of a table apart; rows that are cases have ids of their own. */
function readable(text: string): string {
  return text
    .replaceAll(/\\(["'`])/g, "$1")
    .replaceAll(/(?:[:,]? ?\(?(?:seed )?(?:%[sj]|\$\{\w+\}|\$(?!(?:ref|schema)\w*\b)\w+(?:\.\w+)*)\)?)+$/g, "")
    .replaceAll(/%[sj]|\$(?!(?:ref|schema)\w*\b)\w+/g, "…");
}
