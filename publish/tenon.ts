#!/usr/bin/env node
import { runProgram } from "./run-program.ts";

// What `bin/tenon` does in a checkout. Old versions of Node get this far and must find nothing here that they do not know.
const oldestNode = 24;
declare const mainFile: string;

if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  process.stderr.write(
    `error: Tenon needs Node ${oldestNode} or newer, and this is ${process.versions.node}\n  next: install it (https://nodejs.org)\n`,
  );
  process.exitCode = 1;
} else {
  const { existsSync } = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const { XDG_CACHE_HOME, HOME } = process.env;
  // Code compiled once need not be compiled again. Where there is no place for it, Tenon works all the same. A home that is not
  // there is left alone: below /proc, Node would try to make it for ever.
  const cache = XDG_CACHE_HOME || (HOME && existsSync(HOME) && path.join(HOME, ".cache"));
  const [, , word = ""] = process.argv;
  process.env["TENON_CALLED_AS"] ??= process.argv[1];
  runProgram(
    path.join(import.meta.dirname, "cli", mainFile),
    cache && cache.startsWith("/")
      ? {
          folder: path.join(cache, "tenon", "compile-cache", `${process.version}-${process.arch}`),
          command: /^[a-z]+$/.test(word) ? word : "other",
        }
      : undefined,
  );
}
