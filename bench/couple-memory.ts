import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtempDisposable, readFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { couplingKinds, Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { bundle } from "../publish/bundle.ts";
import { benchCluster } from "./bench-cluster.ts";
import { isCoupled, makeNamespace, plugOf } from "./couple-objects.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

const plugCount = 1_000;
const sockets = Array.from({ length: 10 }, (_, index) => `s${index}`);

/**
 * The memory of `tenon run --only couple` with a thousand plugs: bundled and started as in the image, with the heap that Node
 * allows itself within the memory of the chart. Needs no idle machine.
 */
export async function measureCoupleMemory(flags: readonly string[] = ["--max-semi-space-size=4"]): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-memory-"));
  await bundle(join(directory.path, "dist"));
  await mkdir(join(directory.path, "home"));
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  await installKinds(client, couplingKinds);
  await using plugs = await watchObjects(client, Plug);
  await using offered = await watchObjects(client, Socket);
  const program = [...flags, "--max-old-space-size=256"];
  const words = ["run", "--only", "couple", "--kubeconfig", cluster.kubeconfig, "--port", "0", "--no-leader-election"];
  await using nothing = await startProgram([...program, "-e", "setInterval(() => {}, 1e9)"], directory.path);
  await using operator = await startProgram(
    [...program, join(directory.path, "dist/tenon.js"), ...words],
    directory.path,
  );
  await makeNamespace(client, "memory", sockets);
  await offered.until(({ metadata }) => metadata.finalizers !== undefined, sockets.length);
  const [bare, empty] = [await nothing.memory(), await operator.memory()];
  await coupleAll(client, plugs);
  const full = await operator.memory();
  console.log(
    `tenon run --only couple with ${plugCount} plugs: ${full.rssMb.toFixed(0)} MB resident (bar: 170), ${empty.rssMb.toFixed(0)} MB of them before the first plug, ${bare.rssMb.toFixed(0)} MB of those Node alone; ${((full.cpuMs - empty.cpuMs) / 1000).toFixed(1)} s of CPU for the plugs; load ${loadavg()[0]?.toFixed(0)}\n`,
  );
}

async function coupleAll(client: KubeClient, plugs: ObjectWatch): Promise<void> {
  const all = plugs.until(isCoupled, plugCount);
  await Promise.all(
    Array.from({ length: plugCount }, async (_, index) => {
      await client.create(plugOf("memory", `p${index}`, sockets[index % sockets.length] ?? ""));
    }),
  );
  await all;
}

interface MeasuredProgram extends AsyncDisposable {
  /** When it has nothing more to do. */
  memory(): Promise<{ readonly rssMb: number; readonly cpuMs: number }>;
}

async function startProgram(words: readonly string[], directory: string): Promise<MeasuredProgram> {
  const env = { PATH: process.env["PATH"], HOME: join(directory, "home") };
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "spawn");
  const { pid } = child;
  return {
    async memory() {
      for (let before = -1; ; ) {
        const cpuMs = await cpuOf(pid);
        if (cpuMs - before < 50) return { rssMb: await residentOf(pid), cpuMs };
        before = cpuMs;
        await sleep(3_000);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}

/** Linux counts processor time in hundredths of a second. */
async function cpuOf(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function residentOf(pid: number | undefined): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  await measureCoupleMemory(positionals.length === 0 ? undefined : positionals);
}
