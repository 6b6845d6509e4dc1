import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const checkout = join(import.meta.dirname, "..", "..");

test.for([
  { fails: ["check", "test-live"], said: "make test: failed: check test-live\n" },
  { fails: ["test-go"], said: "make test: failed: test-go\n" },
  { fails: [], said: "" },
])("`make test` runs each of its parts when $fails fail, and ends with '$said'", async ({ fails, said }) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-make-"));
  const [stub, ran] = [join(folder.path, "make"), join(folder.path, "ran")];
  const ends = fails.map((part) => `[ "$part" != ${part} ] || exit 1\n`).join("");
  await writeFile(stub, `#!/bin/sh\nfor part in "$@"; do :; done\necho "$part" >> ${ran}\n${ends}`, { mode: 0o700 });
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, ...env } = process.env;
  const made = run("make", ["--silent", "--old-file=install", "test", `MAKE=${stub}`], { cwd: checkout, env });
  const stderr = await made.then(
    (done) => done.stderr,
    (error: unknown) => (error instanceof Error && "stderr" in error ? String(error.stderr) : ""),
  );
  expect((await readFile(ran, "utf8")).trim().split("\n")).toEqual(["check", "test-go", "test-live"]);
  expect(stderr.replace(/^make: .*\n/gm, "")).toBe(said);
});
