import { execFile } from "node:child_process";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { z } from "zod";
import { isRecord, packageFile, silentLogger, valueAt } from "#base";
import { selfSigned, startHttpProxy } from "#faults";
import { isKubeObject, type KubeObject, loadAccess, type NewObject, type ObjectRef, readLogs, refOf } from "#kube";
import { buildImage, nodePath, nodeRuntimeLayer, writeImageArchive } from "#oci";
import {
  claimTemplateAnnotation,
  environmentDriver,
  environmentLabels,
  environmentName,
  EphemeralClaim,
  EphemeralClass,
  installEnvironments,
} from "#promotion";
import { loadChart, renderChart } from "#template";
import { makeTenonImage } from "../../publish/tenon-image.ts";
import { makeProbeImage } from "./probe-image.ts";
import { type DriverProcess, makeDriverAccount, startDriver } from "./use-driver.ts";
import { useTekton } from "./use-tekton.ts";

const world = useTekton("resource-claims", { cdi: true });
const { namespace } = world;
const cleanup = new AsyncDisposableStack();
const image = "localhost/deployer:1";
/** What is tested: it answers on port 8080. */
const testedImage = "localhost/probe:tested";
const tenonImage = { repository: "localhost/tenon", tag: "dra", pullPolicy: "Never" };
const polling = { interval: 500 };
const never = new AbortController().signal;
const claims = { apiVersion: EphemeralClaim.apiVersion, kind: EphemeralClaim.kind, namespace };
const templates = { alone: "alone", shared: "shared" } as const;
const className = `small-${namespace}`;
const slices = { apiVersion: "resource.k8s.io/v1", kind: "ResourceSlice" };
let sliceName: string;
let node: { readonly pid: number; readonly name: string };
let kubeconfig: string;
let folder: string;
let driver: DriverProcess;

beforeAll(async () => {
  const directory = cleanup.use(await mkdtempDisposable(join(tmpdir(), "tenon-dra-")));
  folder = directory.path;
  node = await world.node();
  sliceName = `${node.name}-${environmentDriver}`;
  kubeconfig = cleanup.use(await makeDriverAccount(world, directory.path)).file;
  const archive = join(directory.path, "image.tar");
  const tenon = await makeTenonImage({ name: `${tenonImage.repository}:${tenonImage.tag}`, compression: "none" });
  await writeImageArchive([await makeDeployerImage(), await makeProbeImage(testedImage), tenon], archive);
  await world.load(archive);
  await installEnvironments(world.client, silentLogger, never);
  for (const kind of [EphemeralClass, EphemeralClaim]) await world.client.discovery.whenServed(kind, never);
  // Pods of the node know the API server by its Service; the controllers of this test run beside it.
  const server = "https://kubernetes.default.svc";
  await world.client.create({
    apiVersion: EphemeralClass.apiVersion,
    kind: EphemeralClass.kind,
    metadata: { name: className },
    spec: { server, grace: "1s" },
  });
  cleanup.defer(() => world.client.delete({ ...EphemeralClass, name: className }));
  const parameters = { className };
  await world.client.create({
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: { name: className },
    spec: {
      selectors: [{ cel: { expression: `device.driver == "${environmentDriver}"` } }],
      config: [{ opaque: { driver: environmentDriver, parameters } }],
    },
  });
  cleanup.defer(() => world.client.delete({ apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", name: className }));
  await world.client.create(claimTemplate(templates.alone, []));
  const forRun = { driver: environmentDriver, parameters: { scope: "PipelineRun" } };
  await world.client.create(claimTemplate(templates.shared, [{ opaque: forRun }]));
  driver = startDriver(node, kubeconfig);
  cleanup.defer(() => driver.end("SIGTERM"));
});
afterAll(() => cleanup.disposeAsync());

test("the driver refuses aloud a node whose container runtime has no CDI", async () => {
  const { home, name } = inject("node");
  const admin = join(home.data, name, "pki", "admin.kubeconfig");
  const words = ["dra-driver", "--node-name", `${name}-node`, "--kubeconfig", admin];
  const run = promisify(execFile)(join(import.meta.dirname, "..", "..", "bin", "tenon"), words);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/the container runtime has no CDI: containerd:\/\/1\.6/),
  });
});

test("P66: kill -9 of the driver between provision and answer makes no second environment, and leaves none behind", async () => {
  // Until the controllers run, the claim waits, and the kubelet for its answer.
  const pod = await world.client.create(podWithClaim("killed"));
  const claim = await onlyClaim();
  await driver.end("SIGKILL");
  await world.promote("--promote", "environments");
  const ready = await world.waitFor({ ...claims, name: claim.metadata.name }, isReady);
  expect(ready.metadata.uid).toBe(claim.metadata.uid);
  driver = startDriver(node, kubeconfig);
  const ended = await world.waitFor({ apiVersion: "v1", kind: "Pod", namespace, name: pod.metadata.name }, hasEnded);
  expect(phaseOf(ended)).toBe("Succeeded");
  await untilNothingIsLeft();
  expect(driver.lines.join("")).not.toContain("error");
});

test("slots are published again when they are gone, as after a restart of the kubelet, and not by a restart of the driver", async () => {
  const slice = { ...slices, name: sliceName };
  const before = await world.client.get(slice);
  await world.client.delete(slice);
  const again = await world.waitFor(slice, ({ metadata }) => metadata.uid !== before.metadata.uid);
  expect(valueAt(again, ["spec", "devices"])).toHaveLength(4);
  await driver.end("SIGTERM");
  driver = startDriver(node, kubeconfig);
  await expect.poll(() => driver.lines.join(""), polling).toContain('"msg":"started"');
  expect((await world.client.get(slice)).metadata.resourceVersion).toBe(again.metadata.resourceVersion);
});

test("P66: the API server that is away from the driver, once the claim is made, leads to no second environment, and to none left behind", async () => {
  await driver.end("SIGTERM");
  const { server, certificateAuthority } = await loadAccess({ kubeconfig: world.kubeconfig });
  // The driver sends its token over TLS only.
  const tls = await selfSigned("127.0.0.1");
  await using proxy = await startHttpProxy({ target: server, tls, upstream: { tls: { ca: certificateAuthority } } });
  const through = join(folder, "through-proxy.kubeconfig");
  const authorities = Buffer.from(`${certificateAuthority}\n${tls.cert}`).toString("base64");
  const text = (await readFile(kubeconfig, "utf8")).replace(/(certificate-authority-data: ).*/, `$1${authorities}`);
  await writeFile(through, text.replace(/server: .*/, `server: ${proxy.url.href}`), { mode: 0o600 });
  driver = startDriver(node, through);
  await registered(1);
  // The claim is made, and neither this answer nor any later one gets through.
  const lost = proxy.cut({ match: ({ method, path }) => method === "POST" && path.includes("/ephemeralclaims") });
  await world.client.create(podWithClaim("away"));
  await lost.reached;
  proxy.cut({});
  const claim = await onlyClaim();
  await world.waitFor({ ...claims, name: claim.metadata.name }, isReady);
  // Meanwhile the kubelet asks again.
  await expect.poll(() => countOf("cannot prepare a claim"), polling).toBeGreaterThan(1);
  proxy.restore();
  expect(await environmentSeenBy("away")).toBe(environmentOf(claim));
  await untilNothingIsLeft();
  await driver.end("SIGTERM");
  driver = startDriver(node, kubeconfig);
  await registered(1);
});

test("P66: a kubelet that is killed while a claim is prepared, and a restart of the node, keep each pod's environment, and leave none behind", async () => {
  const stays = { apiVersion: "v1", kind: "Pod", namespace, name: "stays" };
  await world.client.create(podWithClaim("stays", "setInterval(() => {}, 1e6)"));
  const environment = await environmentSeenBy("stays");
  const claim = await onlyClaim();
  expect(environment).toBe(environmentOf(claim));

  const during = await world.client.create(podWithClaim("during"));
  await expect.poll(async () => (await world.client.list(claims)).items.length, polling).toBe(2);
  process.kill(await kubeletPid(), "SIGKILL");
  await registered(2);
  const ended = await world.waitFor({ ...stays, name: during.metadata.name }, hasEnded);
  expect(phaseOf(ended)).toBe("Succeeded");
  await expect.poll(async () => (await world.client.list(claims)).items.length, polling).toBe(1);
  expect(await restartsOf(stays)).toBe(0);

  await driver.end("SIGKILL");
  await world.restart();
  node = await world.node();
  driver = startDriver(node, kubeconfig);
  await expect.poll(() => restartsOf(stays), polling).toBe(1);
  expect(await environmentSeenBy("stays")).toBe(environment);
  expect((await onlyClaim()).metadata.uid).toBe(claim.metadata.uid);
  await world.client.delete(stays);
  await untilNothingIsLeft();
});

test("the chart's DaemonSet takes over from a driver that was started by hand", async () => {
  await driver.end("SIGTERM");
  const objects = chartObjects();
  for (const object of objects) await world.client.apply(object, { fieldManager: "test", force: true });
  cleanup.defer(async () => {
    for (const object of objects.toReversed()) await world.client.delete(refOf(object));
  });
  const set = { apiVersion: "apps/v1", kind: "DaemonSet", namespace, name: "tenon-dra" };
  await world.waitFor(set, (found) => valueAt(found, ["status", "numberReady"]) === 1);
  const pods = { apiVersion: "v1", kind: "Pod", namespace, labelSelector: "app.kubernetes.io/name=tenon-dra" };
  const [pod] = (await world.client.list(pods)).items;
  const name = pod?.metadata.name ?? "";
  await expect.poll(() => printedBy(name), polling).toContain("registered with the kubelet");
  // Its account may publish slots of its own node, and of no other.
  const account = {
    user: `system:serviceaccount:${namespace}:tenon-dra`,
    extra: { "authentication.kubernetes.io/node-name": [node.name] },
  };
  const asDriver = world.client.impersonate(account);
  const slice = await world.client.get({ ...slices, name: sliceName });
  const ofAnother = { ...slice, metadata: { name: "elsewhere" }, spec: { ...specOf(slice), nodeName: "elsewhere" } };
  await expect(asDriver.create(ofAnother, { dryRun: true })).rejects.toThrow(/its own node only/);
  await asDriver.create({ ...slice, metadata: { name: "here" } }, { dryRun: true });
});

test("P66: a TaskRun deploys a Snapshot with the kubeconfig it gets by its claim, tests it there, sees nothing else, and leaves nothing", async () => {
  await world.client.create(pipelineRun("e2e", ["test"], templates.alone, "task"));
  const run = await succeededRun("e2e");
  const [seen] = await seenBy(run);
  expect(seen).toEqual({
    environment: expect.stringMatching(/^env-/),
    namespace: seen?.environment,
    deployed: [201],
    images: [testedImage],
    ofTenant: [403, 403],
  });
  const output = await resultsOf(run, "TEST_OUTPUT");
  expect(output).toMatchObject([{ result: "SUCCESS", successes: 1, failures: 0 }]);
  await untilNothingIsLeft();
});

test("P68: each TaskRun has an environment of its own by a claim template", async () => {
  await world.client.create(pipelineRun("apart", ["one", "two"], templates.alone, "task"));
  const seen = await seenBy(await succeededRun("apart"));
  expect(seen.map(({ deployed }) => deployed)).toEqual([[201], [201]]);
  expect(new Set(seen.map(({ environment }) => environment)).size).toBe(2);
  await untilNothingIsLeft();
});

test("P68: all TaskRuns of a PipelineRun that claims share one environment, which ends with the run", async () => {
  await world.client.create(pipelineRun("together", ["one", "two"], templates.shared, "run"));
  const seen = await seenBy(await succeededRun("together"));
  expect(new Set(seen.map(({ environment }) => environment)).size).toBe(1);
  // The second one finds there what the first has deployed.
  expect(new Set(seen.flatMap(({ deployed }) => deployed))).toEqual(new Set([201, 409]));
  const { metadata } = await onlyClaim();
  const ended = await world.waitFor({ ...claims, name: metadata.name }, (claim) => phaseOf(claim) === "Released");
  expect(valueAt(ended, ["status", "ending", "reason"])).toBe("OwnerEnded");
  // The claim says what became of the environment, as long as there is the run.
  await world.client.delete({ apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace, name: "together" });
  await untilNothingIsLeft();
});

/** What the chart installs for the driver. */
function chartObjects(): readonly KubeObject[] {
  const values = {
    jobs: { couple: false, promote: true },
    promote: { parts: ["environments"] },
    image: tenonImage,
    dra: { enabled: true, slots: 4 },
  };
  const { manifests } = renderChart(loadChart(packageFile("charts", "tenon")), {
    values,
    release: { name: "tenon", namespace },
  });
  const objects = manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
  return objects.filter(({ metadata: { name } }) => name.startsWith("tenon-dra"));
}

function specOf({ spec }: KubeObject): object {
  return isRecord(spec) ? spec : {};
}

async function makeDeployerImage() {
  const deployer = { path: "/deployer.mjs", copyOf: join(import.meta.dirname, "programs", "deployer.mjs") };
  return await buildImage({
    name: image,
    compression: "none",
    layers: [await nodeRuntimeLayer(), { comment: "deployer", entries: [deployer] }],
    entrypoint: [nodePath, "/deployer.mjs"],
  });
}

function claimTemplate(of: string, config: readonly object[]): NewObject {
  const requests = [{ name: "env", exactly: { deviceClassName: className } }];
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: { name: of, namespace },
    spec: { spec: { devices: { requests, config } } },
  };
}

/** A pod that prints the name of its environment once it has found its kubeconfig; `then` is what it does afterwards. */
function podWithClaim(of: string, then = ""): NewObject {
  const look = "require('node:fs').accessSync(process.env.KUBECONFIG); console.log(process.env.TENON_ENVIRONMENT);";
  const command = [nodePath, "--eval", `${look} ${then}`];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: of, namespace },
    spec: {
      restartPolicy: then === "" ? "Never" : "Always",
      terminationGracePeriodSeconds: 1,
      resourceClaims: [{ name: "env", resourceClaimTemplateName: templates.alone }],
      containers: [{ name: "look", image, command, resources: { claims: [{ name: "env" }] } }],
    },
  };
}

/** A run whose tasks, one after the other, deploy a Snapshot. What claims is each task, or the run for all of them. */
function pipelineRun(of: string, tasks: readonly string[], template: string, claiming: "task" | "run"): NewObject {
  const annotationsOf = (what: "task" | "run") => (what === claiming ? { [claimTemplateAnnotation]: template } : {});
  const snapshot = {
    application: "shop",
    components: [{ name: "web", containerImage: testedImage }],
  };
  const steps = [
    {
      name: "deploy",
      image,
      imagePullPolicy: "Never",
      command: [nodePath, "/deployer.mjs"],
      args: [JSON.stringify(snapshot), namespace, "/tekton/results"],
    },
  ];
  return {
    apiVersion: "tekton.dev/v1",
    kind: "PipelineRun",
    metadata: { name: of, namespace, annotations: annotationsOf("run") },
    spec: {
      pipelineSpec: {
        tasks: tasks.map((name, index) => ({
          name,
          ...(index > 0 ? { runAfter: [tasks[index - 1]] } : {}),
          taskSpec: {
            metadata: { annotations: annotationsOf("task") },
            results: [{ name: "TEST_OUTPUT" }, { name: "SEEN" }],
            steps,
          },
        })),
      },
    },
  };
}

async function succeededRun(of: string): Promise<string> {
  const ref = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace, name: of };
  const run = await world.waitFor(ref, (found) => conditionOf(found, "Succeeded") !== "Unknown");
  expect(run["status"]).toHaveProperty("conditions.0.status", "True");
  return of;
}

const Seen = z.looseObject({ environment: z.string(), deployed: z.array(z.int()) });

async function seenBy(run: string): Promise<readonly z.infer<typeof Seen>[]> {
  return z.array(Seen).parse(await resultsOf(run, "SEEN"));
}

/** What the tasks of a run reported by that name, in no certain order. */
async function resultsOf(run: string, result: string): Promise<readonly unknown[]> {
  const selection = { apiVersion: "tekton.dev/v1", kind: "TaskRun", namespace };
  const { items } = await world.client.list({ ...selection, labelSelector: `tekton.dev/pipelineRun=${run}` });
  return items.map((task) => {
    const results = valueAt(task, ["status", "results"]);
    const found = Array.isArray(results) ? results.filter(isRecord).find(({ name }) => name === result) : undefined;
    return JSON.parse(String(found?.["value"]));
  });
}

async function onlyClaim(): Promise<KubeObject> {
  await expect.poll(async () => (await world.client.list(claims)).items.length, polling).toBe(1);
  const [claim] = (await world.client.list(claims)).items;
  if (!claim) throw new Error("the claim was there a moment ago");
  return claim;
}

function phaseOf(object: KubeObject): string {
  return String(valueAt(object, ["status", "phase"]));
}

function environmentOf({ metadata: { uid = "" } }: KubeObject): string {
  return environmentName({ uid });
}

/** What the container of a pod with a claim has printed since it started last. */
async function environmentSeenBy(pod: string): Promise<string> {
  const ref = { apiVersion: "v1", kind: "Pod", namespace, name: pod };
  await world.waitFor(ref, hasStarted);
  let seen = "";
  await expect.poll(async () => (seen = await printedBy(pod)), polling).toMatch(/^env-/);
  return seen;
}

async function printedBy(pod: string): Promise<string> {
  const lines = readLogs(world.client, { namespace, name: pod }, {}, AbortSignal.timeout(300_000));
  return (await Array.fromAsync(lines)).join("\n");
}

async function restartsOf(pod: ObjectRef): Promise<unknown> {
  return valueAt(await world.client.get(pod), ["status", "containerStatuses", 0, "restartCount"]);
}

function countOf(message: string): number {
  return driver.lines.join("").split(`"msg":"${message}"`).length - 1;
}

/** Waits until the kubelet has taken this driver so many times. */
async function registered(times: number): Promise<void> {
  await expect.poll(() => countOf("registered with the kubelet"), polling).toBe(times);
}

/** The kubelet is a child of the first process in the node's namespaces, begun by any of its threads. */
async function kubeletPid(): Promise<number> {
  const threads = `/proc/${node.pid}/task`;
  for (const thread of await readdir(threads)) {
    for (const pid of (await readFile(join(threads, thread, "children"), "utf8")).split(" ").filter(Boolean)) {
      if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0")[0]?.endsWith("/kubelet")) return Number(pid);
    }
  }
  throw new Error(`process ${node.pid} has no kubelet among its children`);
}

function isReady(claim: KubeObject): boolean {
  return phaseOf(claim) === "Ready";
}

function hasStarted(pod: KubeObject): boolean {
  return hasEnded(pod) || valueAt(pod, ["status", "containerStatuses", 0, "started"]) === true;
}

function hasEnded(pod: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(phaseOf(pod));
}

/** Neither claims nor environments in the cluster, nor files on the node. */
async function untilNothingIsLeft(): Promise<void> {
  await expect.poll(findLeft, polling).toEqual([]);
}

async function findLeft(): Promise<readonly string[]> {
  const environments = { apiVersion: "v1", kind: "Namespace", labelSelector: environmentLabels.claimUid };
  const objects = [
    ...(await world.client.list({ apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", namespace })).items,
    ...(await world.client.list(claims)).items,
    ...(await world.client.list(environments)).items,
  ];
  const root = `/proc/${node.pid}/root`;
  const files = await Promise.all(
    [`${root}/var/lib/kubelet/plugins/${environmentDriver}/claims`, `${root}/run/cdi`].map((path) => readdir(path)),
  );
  return [...objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`), ...files.flat()];
}

function conditionOf(object: KubeObject, type: string): unknown {
  const conditions = valueAt(object, ["status", "conditions"]);
  const found = Array.isArray(conditions)
    ? conditions.filter(isRecord).find((each) => each["type"] === type)
    : undefined;
  return found?.["status"] ?? "Unknown";
}
