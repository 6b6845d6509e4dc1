#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";

// What `bin/tenon` does in a checkout. Old versions of Node get this far and must find nothing here that they do not know.
const oldestNode = 24;

if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  process.stderr.write(
    `error: Tenon needs Node ${oldestNode} or newer, and this is ${process.versions.node}\n  next: install it (https://nodejs.org)\n`,
  );
  process.exitCode = 1;
} else {
  const { XDG_CACHE_HOME, HOME } = process.env;
  // Code compiled once need not be compiled again. Where there is no place for it, Tenon works all the same. A home that is not
  // there is left alone: below /proc, Node would try to make it for ever.
  const cache = XDG_CACHE_HOME || (HOME && existsSync(HOME) && join(HOME, ".cache"));
  if (cache && cache.startsWith("/")) module.enableCompileCache(join(cache, "tenon", "compile-cache"));
  process.env["TENON_CALLED_AS"] ??= process.argv[1];
  await import("../src/cli/main.ts");
}
