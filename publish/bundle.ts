import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import manifest from "#manifest" with { type: "json" };
import { declare } from "./declare.ts";
import { describeLicences } from "./licences.ts";

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
    // Names stay: they are in the stacks that users report.
    minify: { compress: true, mangle: false, codegen: true },
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

if (import.meta.main) {
  const directory = join(checkout, "dist");
  await rm(directory, { recursive: true, force: true });
  await Promise.all([bundle(directory), declare(join(directory, "types"))]);
}
