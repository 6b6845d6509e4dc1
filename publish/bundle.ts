import { execFile } from "node:child_process";
import { cp, glob, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { z } from "zod";
import { compareText } from "#base";
import manifest from "#manifest" with { type: "json" };
import { preparePages } from "../src/cli/console/prepare-pages.ts";

const checkout = join(import.meta.dirname, "..");

/** The rooms that other programs may import, beside the program itself. */
const libraries = Object.keys(manifest.exports).flatMap((name) => /^\.\/(\w+)$/.exec(name)?.[1] ?? []);

/**
 * Writes JavaScript that needs no package beside it: `tenon.js`, which starts the program in `cli/`, the pages of the console, and the
 * rooms for other programs, unless only the program is wanted.
 */
export async function bundle(directory: string, { onlyProgram = false } = {}): Promise<void> {
  const { signal } = new AbortController();
  const pages = await preparePages({ env: process.env, stderr: process.stderr, signal });
  await cp(pages, join(directory, "console"), { recursive: true });
  const files = [...(await bundleProgram(directory)), ...(onlyProgram ? [] : await bundleLibraries(directory))];
  await writeFile(join(directory, "LICENCES.txt"), await describeLicences(files));
}

/**
 * The program as `run-program.ts` loads it. What is imported while running stays a file of its own, so that a command loads what it
 * needs and no more. The names of all files have hashes of their content, because code is kept under these names.
 */
async function bundleProgram(directory: string): Promise<readonly string[]> {
  const program = await write({ main: "src/cli/main.ts" }, join(directory, "cli"), {
    format: "cjs",
    entryFileNames: "[name]-[hash].cjs",
    chunkFileNames: "[name]-[hash].cjs",
  });
  const main = program.find((chunk) => chunk.isEntry)?.fileName;
  const define = { mainFile: JSON.stringify(main) };
  const start = await write({ tenon: "publish/tenon.ts" }, directory, { format: "esm" }, define);
  return [...program, ...start].flatMap(({ moduleIds }) => moduleIds);
}

async function bundleLibraries(directory: string): Promise<readonly string[]> {
  const rooms = Object.fromEntries(libraries.map((room) => [room, `src/${room}/index.ts`]));
  const chunks = await write(rooms, directory, { format: "esm", chunkFileNames: "[name]-[hash].js" });
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

async function write(
  input: Readonly<Record<string, string>>,
  directory: string,
  options: OutputOptions,
  define: Readonly<Record<string, string>> = {},
): Promise<readonly OutputChunk[]> {
  const build = await rolldown({
    cwd: checkout,
    input,
    platform: "node",
    plugins: [requireInBundle, usedPartsOfZod],
    transform: { define },
    // A file is there for what others use of it: so a command does not load what an index re-exports besides.
    treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
    onLog(level, log, handle) {
      // What a command loads late, a program that imports a room may load at once.
      if (log.code === "INEFFECTIVE_DYNAMIC_IMPORT" && options.format === "esm") return;
      handle(level === "warn" ? "error" : level, log);
    },
  });
  const { output } = await build.write({
    dir: directory,
    // Names and lines stay: they are in the stacks that users report. Source maps would be larger than what minifying saves.
    minify: "dce-only",
    comments: false,
    ...options,
  });
  await build.close();
  return output.filter((part) => part.type === "chunk");
}

/** Packages that are loaded late by `createRequire` would be looked for beside the bundle; plain `require` is followed. */
const requireInBundle: Plugin = {
  name: "require-in-bundle",
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /createRequire\(import\.meta\.url\)/ },
    handler: (code) => code.replace(/^const require = createRequire\(import\.meta\.url\);$/m, ""),
  },
};

/** Of a named import that is a namespace, all is taken: zod in 50 languages. */
const usedPartsOfZod: Plugin = {
  name: "used-parts-of-zod",
  transform: {
    filter: { id: /\/(src|publish)\/.*\.ts$/, code: /^import \{ z \} from "zod";$/m },
    handler: (code) => code.replace(/^import \{ z \} from "zod";$/m, 'import * as z from "zod";'),
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
