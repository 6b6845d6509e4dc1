import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { generatedFrom, page, prose, table } from "../markdown.ts";
import { findMissingLines } from "./find-missing-lines.ts";
import type { Proof, SeedDocument, SeedPromise } from "./seed-document.ts";
import { seedDocuments } from "./seed-documents.ts";

/** The page of what the five documents promise, and what shows that Tenon does it. */
export async function seedsReference(): Promise<string> {
  return seedsPage(seedDocuments);
}

export function seedsPage(documents: readonly SeedDocument[]): string {
  const promises = documents.flatMap((document) => document.promises);
  const shown = promises.filter(({ shownBy }) => shownBy.length > 0).length;
  return page(
    generatedFrom("`docs/generate/seeds/`"),
    "# What Tenon began from",
    [
      "Tenon was written from five documents of other projects.",
      "This page has every sentence of theirs that promises or asks for something, in our words, with the test or the command that shows it.",
      "Where Tenon does something else, or nothing yet, the page says what and why.",
      `Of ${promises.length} promises, ${shown} have a test or a command.`,
      "A file is a test that CI runs, with the beginning of its title.",
    ].join("\n"),
    ...documents.flatMap(({ title, about, promises: rows }) => [
      `## ${title}`,
      about,
      table(["It says", "Shown by", "What Tenon does instead"], rows.map(rowOf)),
    ]),
  );
}

function rowOf({ says, shownBy, instead = "" }: SeedPromise): string[] {
  return [prose(says), shownBy.map(describeProof).join("<br>"), prose(instead)];
}

function describeProof(proof: Proof): string {
  return "line" in proof ? `\`${proof.line}\`` : `\`${proof.file}\`: ${prose(proof.title)}`;
}

/** A sentence for each proof that does not exist, and for each promise that has neither a proof nor an explanation. */
export async function findMissingProofs(checkout: string, documents: readonly SeedDocument[]): Promise<string[]> {
  const promises = documents.flatMap((document) => document.promises);
  const proofs = promises.flatMap(({ shownBy }) => shownBy);
  const lines = proofs.flatMap((proof) => ("line" in proof ? [proof.line] : []));
  const tests = await Promise.all(
    proofs.map(async (proof) => ("line" in proof ? undefined : await findMissingTest(checkout, proof))),
  );
  const silent = promises.filter(({ shownBy, instead }) => shownBy.length === 0 && instead === undefined);
  return [
    ...tests.filter((missing) => missing !== undefined),
    ...(await findMissingLines(checkout, lines)),
    ...silent.map(({ says }) => `neither shown nor explained: ${says}`),
  ];
}

/** A title is a literal in the source, of a test or of the row of a table. */
async function findMissingTest(
  checkout: string,
  { file, title }: Extract<Proof, { readonly file: string }>,
): Promise<string | undefined> {
  if (!file.endsWith(".test.ts")) return `${file} is not a test`;
  if (title === "") return `${file}: expected the title of a test, got nothing`;
  const source = await readFile(join(checkout, file), "utf8").catch(() => undefined);
  if (source === undefined) return `${file} not found`;
  const found = ['"', "'", "`"].some((quote) => source.includes(`${quote}${title}`));
  return found ? undefined : `${file} has no test "${title}"`;
}
