import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeObjects } from "./make-objects.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./spent.ts";

const planProcess = join(import.meta.dirname, "plan-once.ts");
const bareList = join(import.meta.dirname, "list-bare.ts");
const rounds = 7;
const kubectlRounds = 3;

/** Whole processes, from their start to their end, that look at a namespace in which all is as it is wanted. */
export async function measureColdPlan(kubeconfig: string, kubectl: string, namespace: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tenon-bench-plan-"));
  const file = join(directory, "objects.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: makeObjects(namespace) }));
  const diffFlags = ["diff", "--server-side", "--force-conflicts", "--field-manager", "bench", "-f", file];
  const spent = { plan: [] as Spent[], list: [] as Spent[], diff: [] as Spent[] };
  const requests = runPlan(kubeconfig, namespace);
  runProcess(process.execPath, [bareList, kubeconfig, namespace]); // both have filled the compile cache now
  for (let round = 0; round < rounds; round += 1) {
    spent.plan.push(await spend(() => runPlan(kubeconfig, namespace)));
    spent.list.push(await spend(() => runProcess(process.execPath, [bareList, kubeconfig, namespace])));
  }
  for (let round = 0; round < kubectlRounds; round += 1) {
    spent.diff.push(await spend(() => runProcess(kubectl, ["--kubeconfig", kubeconfig, ...diffFlags], [0, 1])));
  }
  await rm(directory, { recursive: true });
  const [plan, list, diff] = [medianSpent(spent.plan), medianSpent(spent.list), medianSpent(spent.diff)];
  const [times, timesFaster] = [(plan.wall / list.wall).toFixed(2), (diff.wall / plan.wall).toFixed(1)];
  console.log(`plan of 1200 unchanged live objects, whole processes, median of ${rounds} (kubectl: ${kubectlRounds}):`);
  console.log(`  ours:                       ${describeSpent(plan)}`);
  console.log(`  bare paged lists, parsed:   ${describeSpent(list)}; wall ratio ${times} (bar: at most 1.5)`);
  console.log(`  kubectl diff --server-side: ${describeSpent(diff)}; ${timesFaster} times our wall (bar: at least 15)`);
  console.log(`  our requests: ${requests.join(", ")} (bar: one list for each of 2 kinds)\n`);
}

/** Gives the requests it made; throws if a kind was listed twice. */
function runPlan(kubeconfig: string, namespace: string): readonly string[] {
  const requests: readonly string[] = JSON.parse(runProcess(process.execPath, [planProcess, kubeconfig, namespace]));
  const lists = requests.filter((request) => request.includes(namespace) && !request.endsWith("(next page)"));
  if (lists.length !== 2 || new Set(lists).size !== 2) throw new Error(`lists: ${lists.join(", ")}`);
  return requests;
}

function runProcess(file: string, args: readonly string[], codes: readonly number[] = [0]): string {
  // As bin/tenon starts it: code that was compiled once is not compiled again.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "tenon-bench-compile-cache") };
  const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: "utf8", maxBuffer: 256 * 2 ** 20 });
  if (!codes.includes(status ?? -1)) throw new Error(stderr);
  return stdout;
}
