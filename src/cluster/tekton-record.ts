import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "./parse-json.ts";

/** `tekton.json` in the data directory of an instance that has Tekton. */
const TektonRecord = z.object({
  version: z.string(),
  /** Of the programs that were installed. */
  hash: z.string(),
  /** False from the first change of an installation until everything in it is ready. */
  isComplete: z.boolean(),
});

/** The Tekton of an instance, as far as it was installed. */
export type InstalledTekton = Readonly<z.infer<typeof TektonRecord>>;

/** The Tekton that an instance has; undefined if it has none. */
export async function readTektonRecord(dataDir: string): Promise<InstalledTekton | undefined> {
  const text = await readFile(recordOf(dataDir), "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseJson(TektonRecord, text);
}

/** Remembers the Tekton of an instance, or forgets it. */
export async function writeTektonRecord(dataDir: string, record: InstalledTekton | undefined): Promise<void> {
  const file = recordOf(dataDir);
  if (!record) return rm(file, { force: true });
  await writeFile(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

function recordOf(dataDir: string): string {
  return join(dataDir, "tekton.json");
}
