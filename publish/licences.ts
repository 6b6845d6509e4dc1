import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { compareText } from "#base";

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string().default("no licence named") });

/** The names, licences and their texts of the packages that these files belong to. */
export async function describeLicences(files: Iterable<string>): Promise<string> {
  const folders = new Set([...files].flatMap((file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = await Promise.all([...folders].toSorted(compareText).map(describePackage));
  return `Tenon contains these packages, each under its own licence.\n${texts.join("")}`;
}

async function describePackage(folder: string): Promise<string> {
  const { name, version, license } = Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)(\.|$)/i.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return `\n${"=".repeat(80)}\n${name} ${version}, ${license}\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
}
