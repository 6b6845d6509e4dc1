import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { Semaphore } from "#base";
import { couplingKinds } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { preparePages } from "../src/cli/console/prepare-pages.ts";
import { openBrowser } from "../test/browser/open-browser.ts";
import { benchCluster } from "./bench-cluster.ts";
import { plugOf } from "./couple-objects.ts";
import { median } from "./measure.ts";

const { values } = parseArgs({ options: { scale: { type: "string", default: "1" } } });
const scale = Number(values.scale);
const workloads = Math.round(10_000 * scale);
const plugs = Math.round(5_000 * scale);
/** In namespaces of which the graph is asked to show 1,000 plugs one by one. */
const shown = Math.min(1_000, plugs);
const perNamespace = 250;
const runs = 15;
const pages = 50;
const idleMs = 20_000;
const frames = 150;

/** What the console costs with 10,000 objects and 5,000 plugs: answers, open pages, what the browser loads and draws. */
export async function measureConsole(): Promise<void> {
  await measureFiles();
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  await fill(createClient(transport));
  await using served = await serve(cluster.kubeconfig);
  const [first] = await readOften(served, "/api/lists/integrations?limit=50", 1);
  console.log(`console, ${workloads} objects and ${plugs} plugs`);
  console.log(`the first list, read from the API server: ${first?.ms.toFixed(0)} ms`);
  await report(served, "first rows of integrations", "/api/lists/integrations?limit=50", "300 ms, 200 KB");
  await report(served, "first rows of plugs", "/api/lists/plugs?limit=50", "300 ms, 200 KB");
  await report(served, "a keystroke in the search", "/api/lists/integrations?limit=50&search=feed-99", "100 ms");
  await report(served, "what needs attention", "/api/attention", "300 ms, 200 KB");
  await report(served, "the graph, in groups", "/api/graph", "300 ms, 200 KB");
  await measurePages(served);
  await measurePan(served);
}

async function measureFiles(): Promise<void> {
  const folder = join(await preparePages({ ...process, signal: new AbortController().signal }), "assets");
  const compress = promisify(gzip);
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const { length } = await compress(await readFile(join(folder, name)), { level: 9 });
      return { name, kb: length / 1_000 };
    }),
  );
  const sum = (isCounted: (name: string) => boolean): string =>
    sizes.reduce((total, { name, kb }) => total + (isCounted(name) ? kb : 0), 0).toFixed(0);
  console.log(
    `JavaScript of the first page, with gzip: ${sum((name) => isFirst(name) && name.endsWith(".js"))} KB (bar: 450 KB)`,
  );
  console.log(`all files of pages that are loaded late: ${sum((name) => !isFirst(name))} KB`);
}

function isFirst(name: string): boolean {
  return name.startsWith("index-");
}

async function fill(client: KubeClient): Promise<void> {
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(300_000));
  const few = shown / perNamespace;
  const names = Array.from({ length: Math.ceil(plugs / perNamespace) }, (_, at) =>
    at < few ? `few-${at}` : `many-${at}`,
  );
  for (const name of [...names, "feeds"])
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const slots = new Semaphore(32);
  const make = (object: KubeObject) => slots.run(async () => void (await client.create(object)));
  await Promise.all([
    ...Array.from({ length: plugs }, (_, at) =>
      slots.run(() =>
        makePlug(
          client,
          plugOf(names[Math.floor(at / perNamespace)] ?? "", `plug-${at}`, `socket-${at % 7}`),
          at % 2 === 0,
        ),
      ),
    ),
    ...Array.from({ length: workloads }, (_, at) => make(workloadOf(`feed-${at}`))),
  ]);
}

/** Every other one needs a person, which is more than an answer about attention can hold. */
async function makePlug(client: KubeClient, plug: KubeObject, isWaiting: boolean): Promise<void> {
  await client.create(plug);
  const { apiVersion, kind } = plug;
  const { namespace, name } = plug.metadata;
  const lastTransitionTime = new Date().toISOString();
  const coupled = isWaiting
    ? { status: "False", reason: "SocketNotCreated", message: "the socket does not exist" }
    : { status: "True", reason: "CouplingSucceeded", message: "coupling succeeded" };
  const status = {
    phase: isWaiting ? "Waiting" : "Coupled",
    conditions: [{ type: "Coupled", lastTransitionTime, ...coupled }],
  };
  await client.patch({ apiVersion, kind, namespace, name }, { type: "merge", subresource: "status", body: { status } });
}

/** Of an integration, and without pods of its own. */
function workloadOf(name: string): KubeObject {
  const annotations = { "qontract.integration": "integrations-manager", "tenon.dev/integration": name };
  const template = {
    spec: { restartPolicy: "Never", containers: [{ name: "int", image: "registry.example/feed:v7" }] },
  };
  const spec = { suspend: true, schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } };
  return { apiVersion: "batch/v1", kind: "CronJob", metadata: { namespace: "feeds", name, annotations }, spec };
}

interface Served extends AsyncDisposable {
  readonly origin: string;
  readonly pid: number;
  readonly cookie: string;
  /** A link that was not used. */
  readonly link: () => string;
  readonly logIn: () => Promise<string>;
}

async function serve(kubeconfig: string): Promise<Served> {
  const words = [
    "--max-semi-space-size=4",
    join(import.meta.dirname, "..", "src", "cli", "main.ts"),
    "console",
    "--port",
    "0",
  ];
  const child = spawn(process.execPath, [...words, "--kubeconfig", kubeconfig], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  while (!/ is at \S+\n/.test(said)) await sleep(20);
  const [, origin = ""] = / is at (\S+)\n/.exec(said) ?? [];
  const link = (): string => said.match(/http:\/\/\S+\/login#\S+(?=\n)/g)?.at(-1) ?? "";
  async function logIn(): Promise<string> {
    const used = link();
    const headers = { origin, "content-type": "application/json" };
    const body = JSON.stringify({ link: used.split("#")[1] });
    const answer = await fetch(`${origin}/api/session`, { method: "POST", headers, body });
    while (link() === used) await sleep(5);
    return (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  }
  return {
    origin,
    pid: child.pid ?? 0,
    cookie: await logIn(),
    link,
    logIn,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

async function readOften({ origin, cookie }: Served, path: string, times: number) {
  const answers: { ms: number; kb: number }[] = [];
  for (let run = 0; run < times; run++) {
    const begun = performance.now();
    const answer = await fetch(`${origin}${path}`, { headers: { cookie } });
    const { byteLength } = await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    answers.push({ ms: performance.now() - begun, kb: byteLength / 1_000 });
  }
  return answers;
}

async function report(served: Served, title: string, path: string, bar: string): Promise<void> {
  // The first one reads from the API server.
  await readOften(served, path, 1);
  const before = processorMsOf(served.pid);
  const answers = await readOften(served, path, runs);
  const processor = (processorMsOf(served.pid) - before) / runs;
  const ms = median(answers.map((answer) => answer.ms));
  const kb = median(answers.map((answer) => answer.kb));
  console.log(
    `${title}: ${ms.toFixed(0)} ms (median of ${runs}), ${processor.toFixed(0)} ms of a processor, ${kb.toFixed(0)} KB (bar: ${bar})`,
  );
}

/** Pages of one person that are open and see no change. */
async function measurePages(served: Served): Promise<void> {
  const ending = new AbortController();
  const memory = memoryOf(served.pid);
  const { cookie, origin } = served;
  for (let page = 0; page < pages; page++) {
    const lists = "integrations,plugs,sockets";
    const answer = await fetch(`${origin}/api/changes?lists=${lists}`, { headers: { cookie }, signal: ending.signal });
    void drain(answer.body);
  }
  await sleep(2_000);
  const before = processorMsOf(served.pid);
  await sleep(idleMs);
  const share = ((processorMsOf(served.pid) - before) / idleMs) * 100;
  console.log(`${pages} open pages without a change: ${share.toFixed(1)} % of a core (bar: 2 %)`);
  console.log(`memory of each: ${((memoryOf(served.pid) - memory) / pages).toFixed(2)} MB (bar: 1 MB)`);
  ending.abort();
}

async function drain(body: AsyncIterable<unknown> | null): Promise<void> {
  try {
    for await (const _ of body ?? []) continue;
  } catch {
    // It was aborted.
  }
}

const Pan = z.object({ fps: z.number(), worst: z.number(), plugs: z.number() });

/** Scrolls through the graph with 1,000 plugs one by one, as fast as the browser draws. */
async function measurePan(served: Served): Promise<void> {
  await using browser = await openBrowser();
  const { page } = await browser.newPerson();
  await page.goto(served.link());
  await page.getByRole("heading", { name: "Attention" }).waitFor();
  const open = Array.from({ length: shown / perNamespace }, (_, at) => `few-${at}`).join(",");
  await page.goto(`${served.origin}/graph?search=few-&open=${open}`);
  await page.getByText(`plug-${shown - 1}`, { exact: true }).waitFor();
  const pan = Pan.parse(
    await page.evaluate(`new Promise((resolve) => {
      const window = document.querySelector(".graph-window");
      const times = [];
      const step = (now) => {
        times.push(now);
        window.scrollTop += 45;
        if (times.length <= ${frames}) requestAnimationFrame(step);
        else {
          const gaps = times.slice(1).map((time, at) => time - times[at]);
          resolve({
            fps: 1000 * gaps.length / (times.at(-1) - times[0]),
            worst: Math.max(...gaps),
            plugs: document.querySelectorAll("[data-item^='plug/']").length,
          });
        }
      };
      requestAnimationFrame(step);
    })`),
  );
  console.log(
    `a pan of the graph with ${pan.plugs} plugs one by one: ${pan.fps.toFixed(0)} frames a second, the slowest ${pan.worst.toFixed(0)} ms (bar: 30 a second)\n`,
  );
}

function processorMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

if (import.meta.main) await measureConsole();
