import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mean } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const runs = 15;

/** Processor time of importing the client as it is published, bundled into one file, against importing undici alone. */
export async function measureImport(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tenon-bench-import-"));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  const rolldown = join(root, "node_modules", ".bin", "rolldown");
  const flags = ["--platform", "node", "--format", "esm", "-d", join(directory, "kube"), "--logLevel", "silent"];
  const packages = ["undici", "zod", "pino", "@prometheus-io/client"];
  execFileSync(rolldown, ["src/kube/index.ts", ...flags, "--external", packages.join(",")], {
    cwd: root,
    stdio: "ignore",
  });
  const times = { undici: [] as number[], kube: [] as number[] };
  for (let run = 0; run < runs; run++) {
    times.undici.push(importMs(directory, "undici"));
    times.kube.push(importMs(directory, join(directory, "kube", "index.js")));
  }
  await rm(directory, { recursive: true });
  const [undici, kube] = [mean(times.undici), mean(times.kube)];
  console.log(`import of the client, processor time, mean of ${runs}: ${kube.toFixed(0)} ms`);
  console.log(`import of undici:   ${undici.toFixed(0)} ms, ratio ${(kube / undici).toFixed(2)} (bar: at most 1.3)\n`);
}

function importMs(directory: string, specifier: string): number {
  const script = `
    const before = process.cpuUsage();
    await import(${JSON.stringify(specifier)});
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(String((user + system) / 1000));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: directory,
    encoding: "utf8",
  });
  return Number(stdout);
}
