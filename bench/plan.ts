import { execFileSync } from "node:child_process";
import { cp, mkdtempDisposable, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createClient, loadAccess } from "#kube";
import { benchCluster } from "./bench-cluster.ts";
import { bundleProgram } from "./bundle-program.ts";
import { mean, processorMs } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const namespaces = ["platform-dev", "platform-stage", "platform-prod", "depot"];
const runs = 10;

/**
 * The processor time of `tenon plan` on the example data, a whole process in its published form, in which files are bundled;
 * against one that only reads the same of the cluster, bundled too. Each of them has compiled its code once before.
 */
export async function measurePlan(): Promise<void> {
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  const client = createClient(transport);
  for (const name of namespaces) await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-plan-"));
  process.env["NODE_COMPILE_CACHE"] = join(directory.path, "compile-cache");
  const [published, bare] = [
    bundleProgram("src/cli/main.ts", directory.path),
    bundleProgram("bench/read-bare.ts", directory.path),
  ];
  await symlink(join(root, "node_modules"), join(directory.path, "node_modules"));
  for (const part of ["charts", "package.json"]) {
    await cp(join(root, part), join(directory.path, part), { recursive: true });
  }
  const flags = ["--data", join(root, "examples", "data"), "--external"];
  const reach = ["--kubeconfig", cluster.kubeconfig, "--context", access.context];
  const run = (main: string, command: string) => [process.execPath, main, command, ...flags, ...reach];
  const commands = {
    published: run(published, "plan"),
    checkout: run(join(root, "src", "cli", "main.ts"), "plan"),
    bare: [process.execPath, bare, cluster.kubeconfig, ...namespaces],
  };
  execFileSync(process.execPath, [...run(published, "apply").slice(1), "--yes"], { stdio: "ignore" });
  const times = { published: [] as number[], checkout: [] as number[], bare: [] as number[] };
  for (let round = -1; round < runs; round++) {
    for (const name of ["published", "checkout", "bare"] as const) {
      const ms = processorMs(commands[name]);
      if (round >= 0) times[name].push(ms);
    }
  }
  const [ours, source, least] = [mean(times.published), mean(times.checkout), mean(times.bare)];
  console.log(
    `tenon plan of the example data, whole processes, processor time, mean of ${runs}: ${ours.toFixed(0)} ms`,
  );
  console.log(`  reading the same of the cluster: ${least.toFixed(0)} ms`);
  console.log(
    `  beyond it: ${(ours - least).toFixed(0)} ms (bar: 500 ms); from a checkout ${(source - least).toFixed(0)} ms\n`,
  );
}

if (import.meta.main) await measurePlan();
