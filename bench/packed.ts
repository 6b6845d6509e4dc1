import { spawn } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openQueryableSource } from "#bundle";
import { clusterHome, inspectBinary } from "#cluster";
import { startHttpProxy } from "#faults";
import { computeDesired } from "#integrations";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { loadChart } from "#template";
import { benchCluster } from "./bench-cluster.ts";
import { writeIntegrationFiles } from "./integration-files.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./measure.ts";
import { PackedCli, runProgram } from "./packed-cli.ts";

const never = new AbortController().signal;
const chart = join(import.meta.dirname, "..", "charts", "integrations");
const integrations = 1_200;
const kubectlHome = { HOME: "/proc/nowhere" };

/** One way to do the same work, and what each of its runs took. */
interface Way {
  readonly spent: Spent[];
  traffic: string;
}

/**
 * The CLI as it is published against kubectl, from data files to 1,201 applied objects and to a plan without changes, whole
 * processes in the same run. kubectl gets the objects rendered, so that its figures are without rendering.
 */
export async function measurePacked({ rounds = 3, busy = 0 }: { rounds?: number; busy?: number } = {}): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-packed-"));
  const cli = await PackedCli.pack(directory.path);
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  const client = createClient(transport);
  const { kubectl } = await inspectBinary(clusterHome());
  const { clientCertificate } = await access.credentials.current();
  await using proxy = await startHttpProxy({
    target: access.server,
    upstream: {
      tls: {
        ca: access.certificateAuthority,
        cert: clientCertificate?.certificate,
        key: clientCertificate?.key.reveal(),
      },
    },
  });
  const counted = join(directory.path, "counted.kubeconfig");
  await writeFile(counted, kubeconfigOf(proxy.url, access.context));
  const kinds = [
    "firstPlan",
    "tenonApply",
    "kubectlApply",
    "tenonPlan",
    "planAgain",
    "alonePlan",
    "kubectlDiff",
  ] as const;
  const ways: Record<(typeof kinds)[number], Way> = {
    firstPlan: { spent: [], traffic: "" },
    alonePlan: { spent: [], traffic: "" },
    tenonApply: { spent: [], traffic: "" },
    kubectlApply: { spent: [], traffic: "" },
    tenonPlan: { spent: [], traffic: "" },
    planAgain: { spent: [], traffic: "" },
    kubectlDiff: { spent: [], traffic: "" },
  };
  using load = new BusyProcesses();

  async function runRound(round: number): Promise<void> {
    // The first round warms up: it fills the compile cache, and counts what is sent and received. The data of each is its own.
    const isCounted = round === 0;
    const kubeconfig = isCounted ? counted : cluster.kubeconfig;
    const ours = await prepare(`tenon-${round}`);
    const theirs = await prepare(`kubectl-${round}`);
    const reach = ["--kubeconfig", kubeconfig, "--context", access.context];
    const flags = ["--server-side", "--field-manager", "tenon", "-f", theirs.file, "--kubeconfig", kubeconfig];
    const runs = {
      firstPlan: () => cli.run(["plan", "--exit-zero", "--data", ours.data, ...reach]),
      tenonApply: () => cli.run(["apply", "--yes", "--data", ours.data, ...reach]),
      kubectlApply: () => runProgram(kubectl, ["apply", ...flags], kubectlHome),
      tenonPlan: () => cli.run(["plan", "--data", ours.data, ...reach]),
      planAgain: () => cli.run(["plan", "--data", ours.data, ...reach]),
      alonePlan: () => cli.run(["plan", "--data", ours.data, ...reach]),
      kubectlDiff: () => runProgram(kubectl, ["diff", ...flags], kubectlHome),
    };
    const turned = [
      "firstPlan",
      "kubectlApply",
      "tenonApply",
      "kubectlDiff",
      "tenonPlan",
      "planAgain",
      "alonePlan",
    ] as const;
    for (const kind of round % 2 === 0 ? kinds : turned) {
      if (kind === "alonePlan") await cli.forget();
      const first = proxy.requests.length;
      if (!isCounted) load.start(busy);
      const spent = await spend(runs[kind]);
      load.stop();
      if (isCounted) ways[kind].traffic = describeTraffic(proxy.requests.slice(first));
      else ways[kind].spent.push(spent);
      if (kind.endsWith("Apply")) await settle(client, kind === "tenonApply" ? ours : theirs);
    }
  }

  async function prepare(namespace: string): Promise<Prepared> {
    const data = join(directory.path, namespace);
    await writeIntegrationFiles(data, { integrations, namespaces: 1, clusters: 1, prefix: namespace });
    const name = `${namespace}-0`;
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const objects = await renderObjects(data, name);
    const file = join(directory.path, `${namespace}.json`);
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    const pods = objects.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet").length;
    return { data, file, namespace: name, pods };
  }

  for (let round = 0; round <= rounds; round += 1) await runRound(round);
  const [average = 0] = loadavg();
  console.log(
    `${integrations + 1} objects, packed CLI from data files and kubectl with rendered objects, median of ${rounds}, load ${average.toFixed(0)}:`,
  );
  const { firstPlan, tenonApply, kubectlApply, tenonPlan, planAgain, alonePlan, kubectlDiff } = ways;
  print("tenon plan, new objects:     ", firstPlan);
  print("tenon apply after it:        ", tenonApply);
  print("kubectl apply --server-side: ", kubectlApply);
  console.log(`  ${compare(tenonApply, kubectlApply)} (bar: 3 times the wall, idle; 2 times the CPU)`);
  print("tenon plan, no changes:      ", tenonPlan);
  print("the same again:              ", planAgain);
  print("the same, nothing recalled:  ", alonePlan);
  print("kubectl diff --server-side:  ", kubectlDiff);
  console.log(`  ${compare(tenonPlan, kubectlDiff)} (bar: 15 times the wall; 10 times the CPU)`);
  console.log(`  again: ${compare(planAgain, kubectlDiff)}`);
  console.log(`  nothing recalled: ${compare(alonePlan, kubectlDiff)}\n`);
}

interface Prepared {
  readonly data: string;
  readonly file: string;
  readonly namespace: string;
  readonly pods: number;
}

function print(name: string, { spent, traffic }: Way): void {
  console.log(`  ${name} ${describeSpent(medianSpent(spent))}; ${traffic}`);
}

function compare({ spent: one }: Way, { spent: other }: Way): string {
  const [ours, theirs] = [medianSpent(one), medianSpent(other)];
  const [wall, processor] = [theirs.wall / ours.wall, theirs.processor / ours.processor];
  return `kubectl needs ${wall.toFixed(1)} times our wall and ${processor.toFixed(1)} times our CPU`;
}

function describeTraffic(
  requests: readonly { readonly requestBytes: number; readonly responseBytes: number }[],
): string {
  const kilobytes = (key: "requestBytes" | "responseBytes"): string =>
    (requests.reduce((sum, request) => sum + request[key], 0) / 1000).toFixed(0);
  return `${requests.length} calls, ${kilobytes("requestBytes")} kB sent, ${kilobytes("responseBytes")} kB received`;
}

/** The objects as Tenon applies them, without its annotations. */
async function renderObjects(data: string, namespace: string): Promise<{ readonly kind: string }[]> {
  const loaded = await openQueryableSource(data, { env: {} }).load(never);
  const options = { chart: loadChart(chart), processEnv: {}, resolveRef: async () => "0".repeat(40) };
  const { groups, errors } = await computeDesired(loaded, options, never);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return groups.flatMap(({ resources }) =>
    resources.map(({ body, kind, metadata }) => ({ ...body, kind, metadata: { ...metadata, namespace } })),
  );
}

/** Until the controllers have made all pods, so that they do not slow down the next. */
async function settle(client: KubeClient, { namespace, pods }: Prepared): Promise<void> {
  for (;;) {
    const { items } = await client.list({ apiVersion: "v1", kind: "Pod", namespace, metadataOnly: true });
    if (items.length >= pods) return;
    await setTimeout(500);
  }
}

/** Processes that do nothing but keep the processors busy. */
class BusyProcesses implements Disposable {
  readonly #running: { kill(): unknown }[] = [];

  start(count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.#running.push(spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }));
    }
  }

  stop(): void {
    for (const running of this.#running.splice(0)) running.kill();
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

function kubeconfigOf(server: URL, context: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: context, cluster: { server: server.origin } }],
    users: [{ name: context, user: {} }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    "current-context": context,
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: "string" }, busy: { type: "string" } } });
  await measurePacked({ rounds: Number(values.rounds ?? 3), busy: Number(values.busy ?? 0) });
}
