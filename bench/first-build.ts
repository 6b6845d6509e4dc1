import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildEnvironment, readClusterPrograms } from "#cluster";
import { describeSpent, spend } from "./measure.ts";

// What the first `make up` builds, and what `--node` adds. Not part of `make bench`, because `--build` takes many minutes:
// it compiles tenon-cluster with an empty build cache, and tenon-node after it. Modules must have been downloaded.
const run = promisify(execFile);
const { cluster, node } = await readClusterPrograms();
const environment = buildEnvironment();

async function packagesOf(path: string): Promise<Set<string>> {
  const { stdout } = await run("go", ["list", "-deps", path], {
    cwd: cluster.directory,
    env: environment,
    maxBuffer: 1 << 26,
  });
  return new Set(stdout.trim().split("\n"));
}

const first = await packagesOf(".");
const second = await packagesOf("./tenon-node");
console.log(`packages of tenon-cluster:            ${first.size}`);
console.log(
  `packages that tenon-node adds:        ${[...second].filter((path) => !first.has(path)).length} of its ${second.size}`,
);

if (process.argv.includes("--build")) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-first-build-"));
  const env = { ...environment, GOCACHE: join(directory.path, "go-build") };
  for (const program of [cluster, node]) {
    const output = join(directory.path, program.name);
    const build = ["build", ...program.goBuildFlags, "-o", output, program.package ?? "."];
    const spent = await spend(() => run("go", build, { cwd: program.directory, env }));
    console.log(`${`build of ${program.name}:`.padEnd(37)} ${describeSpent(spent)}`);
  }
}
