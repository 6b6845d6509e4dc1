import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Case } from "./corpus.ts";
import type { Oracle } from "./oracle.ts";
import type { OracleAnswer } from "./requests.ts";

/** Go's answers to a topic by the names of its cases. */
export type Goldens = Readonly<Record<string, OracleAnswer>>;

/** Go's answers as they were recorded; none of a topic that never was. */
export async function readGoldens(topic: string): Promise<Goldens> {
  const text = await readFile(goldenPath(topic), "utf8").catch(() => "{}");
  return JSON.parse(text);
}

export async function writeGoldens(topic: string, goldens: Goldens): Promise<void> {
  await writeFile(goldenPath(topic), `${JSON.stringify(goldens, undefined, 2)}\n`);
}

/** Asks Go anew. */
export async function askGoldens(cases: readonly Case[], oracle: Oracle): Promise<Goldens> {
  const answers = cases.map(async ({ name, request }) => [name, await oracle.ask(request)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

function goldenPath(topic: string): string {
  return join(import.meta.dirname, "goldens", `${topic}.json`);
}
