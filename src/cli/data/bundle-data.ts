import { hash, randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { InputError } from "#base";
import { openBundleSource, writeBundle } from "#bundle";
import type { Shell } from "../shell.ts";

export interface BundleChoice {
  readonly schemas?: string;
  readonly file?: string;
}

/** Writes data as one bundle. */
export async function bundleData(location: string, { schemas, file }: BundleChoice, shell: Shell): Promise<void> {
  const source = openBundleSource(location, { env: shell.env, ...(schemas !== undefined && { schemas }) });
  const bundle = await source.load(shell.signal);
  const text = writeBundle(bundle);
  if (file === undefined) {
    shell.stdout.write(text);
    return;
  }
  await writeWhole(file, text).catch((cause: unknown) => {
    throw new InputError("cannot write the bundle", { where: file, next: "check the path of --file", cause });
  });
  const counts = `${bundle.datafiles.size} data files, ${bundle.resources.size} resources`;
  shell.stderr.write(`${file}: ${counts}, sha256 ${hash("sha256", text)}\n`);
}

/** Replaces the file atomically: a server may read it at any moment. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
