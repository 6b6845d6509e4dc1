import { execFile } from "node:child_process";
import { glob, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { type Plugin, rolldown } from "rolldown";
import { z } from "zod";
import { compareText } from "#base";
import manifest from "#manifest" with { type: "json" };

const checkout = join(import.meta.dirname, "..");

/** The rooms that other programs may import, beside the program itself. */
const libraries = Object.keys(manifest.exports).flatMap((name) => /^\.\/(\w+)$/.exec(name)?.[1] ?? []);

/**
 * Writes JavaScript that needs no package beside it. What is imported while running stays a file of its own, so that a
 * command loads what it needs and no more.
 */
export async function bundle(directory: string): Promise<void> {
  const build = await rolldown({
    cwd: checkout,
    input: {
      tenon: "publish/tenon.ts",
      ...Object.fromEntries(libraries.map((room) => [room, `src/${room}/index.ts`])),
    },
    platform: "node",
    plugins: [requireInBundle],
    onLog(level, log, handle) {
      handle(level === "warn" ? "error" : level, log);
    },
  });
  const { output } = await build.write({
    dir: directory,
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    // Names and lines stay: they are in the stacks that users report. Source maps would be larger than what minifying saves.
    minify: "dce-only",
    comments: false,
  });
  await build.close();
  const files = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  await writeFile(join(directory, "LICENCES.txt"), await describeLicences(files));
}

/** Packages that are loaded late by `createRequire` would be looked for beside the bundle; plain `require` is followed. */
const requireInBundle: Plugin = {
  name: "require-in-bundle",
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /createRequire\(import\.meta\.url\)/ },
    handler: (code) => code.replace(/^const require = createRequire\(import\.meta\.url\);$/m, ""),
  },
};

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string().default("no licence named") });

/** The names, licences and their texts of the packages that these files belong to. */
async function describeLicences(files: Iterable<string>): Promise<string> {
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

/** Writes the types of the rooms that other programs may import. */
async function declare(directory: string): Promise<void> {
  const tsc = join(checkout, "node_modules", ".bin", "tsc");
  await promisify(execFile)(tsc, ["--project", join(import.meta.dirname, "tsconfig.json"), "--outDir", directory]);
  for await (const file of glob("**/*.d.ts", { cwd: directory })) {
    const path = join(directory, file);
    await writeFile(path, resolveImports(await readFile(path, "utf8"), relative(dirname(file), ".") || "."));
  }
}

/** The package has no sources and does not define the `#room` imports, so that types refer to each other by path. */
function resolveImports(text: string, toRoot: string): string {
  return text.replaceAll(/(from |import\()"(#|\.)([^"]+)"/g, (_, before, kind, path) =>
    kind === "#" ? `${before}"./${join(toRoot, path, "index.js")}"` : `${before}".${path.replace(/\.ts$/, ".js")}"`,
  );
}

if (import.meta.main) {
  const directory = join(checkout, "dist");
  await rm(directory, { recursive: true, force: true });
  await Promise.all([bundle(directory), declare(join(directory, "types"))]);
}
