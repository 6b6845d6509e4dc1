import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Hono } from "hono";

interface StaticFile {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly compressed: Uint8Array<ArrayBuffer>;
}

/** By path, such as `/assets/index-1a2b3c.js`. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const compress = promisify(gzip);

/** Reads the built pages. They are small, and stay in memory. */
export async function loadFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async (entry): Promise<[string, StaticFile]> => {
      const path = join(entry.parentPath, entry.name);
      const plain = new Uint8Array(await readFile(path));
      const compressed = new Uint8Array(await compress(plain, { level: 9 }));
      const type = types[extname(entry.name)] ?? "application/octet-stream";
      return [`/${relative(folder, path)}`, { type, plain, compressed }];
    });
  return new Map(await Promise.all(files));
}

/** Files by their paths, and the first page for all others, whose path its script reads. */
export function serveFiles(app: Hono, files: StaticFiles): void {
  app.get("*", (context) => {
    const found = files.get(context.req.path);
    // A browser with an older page may ask for files that no longer exist.
    const file = found ?? (context.req.path.startsWith("/assets/") ? undefined : files.get("/index.html"));
    if (!file) return context.text("not found\n", 404);
    const isHashed = found !== undefined && context.req.path.startsWith("/assets/");
    const isCompressed = /\bgzip\b/.test(context.req.header("accept-encoding") ?? "");
    return context.body(isCompressed ? file.compressed : file.plain, 200, {
      "content-type": file.type,
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
    });
  });
}
