import { execFile } from "node:child_process";
import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { packageFile, valueAt } from "#base";
import { inspectBinary } from "#cluster";
import { couplingKinds, leaseName, Plug } from "#coupling";
import { ApiError, connect, createClient, type KubeClient, type KubeObject, loadAccess, readLogs } from "#kube";
import { buildImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";
import { ensureHelm } from "#oracle";
import { makeTenonImage } from "../../publish/tenon-image.ts";
import { useNode } from "./use-node.ts";

const run = promisify(execFile);
const { api, namespace, kubeconfig, load } = useNode();
const cleanup = new AsyncDisposableStack();
const recorder = join(import.meta.dirname, "programs", "recorder.mjs");
const chart = packageFile("charts", "tenon");
const image = { repository: "localhost/tenon", tag: "e2e" };
const kinds = couplingKinds.map(({ crdName }) => crdName);
const plugs = { apiVersion: Plug.apiVersion, kind: Plug.kind };
const settings = { image: { ...image, pullPolicy: "Never" }, resources: { requests: { cpu: "10m" } } };
let client: KubeClient;
let helmBinary: string;
let kubectlBinary: string;
let examples: readonly string[];

beforeAll(async () => {
  client = createClient(cleanup.use(connect(await loadAccess({ kubeconfig }))));
  helmBinary = await ensureHelm(new AbortController().signal);
  kubectlBinary = (await inspectBinary(inject("node").home)).kubectl;
  const folder = packageFile("examples", "coupling");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml"));
  examples = files.toSorted().map((file) => join(folder, file));
  const directory = cleanup.use(await mkdtempDisposable(join(tmpdir(), "tenon-install-")));
  const archive = join(directory.path, "images.tar");
  const name = `${image.repository}:${image.tag}`;
  // An example waits for a Job; all that matters is that it ends well.
  const worker = await buildImage({
    name: "registry.k8s.io/pause:3.10",
    layers: [await nodeRuntimeLayer()],
    entrypoint: [nodePath, "--eval", "0"],
    compression: "none",
  });
  // The image that the example of an apparatus names.
  const apparatus = await buildImage({
    name: "docker.io/library/my-apparatus-image:1",
    layers: [await nodeRuntimeLayer(), { comment: "recorder", entries: [{ path: "/recorder.mjs", copyOf: recorder }] }],
    entrypoint: [nodePath, "/recorder.mjs"],
    user: `${unprivilegedUser}:${unprivilegedUser}`,
    compression: "none",
  });
  await writeImageArchive([await makeTenonImage({ name, compression: "none" }), worker, apparatus], archive);
  await load(archive);
  await adoptKinds();
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  const body = { metadata: { labels: restricted } };
  await client.patch({ apiVersion: "v1", kind: "Namespace", name: namespace }, { type: "merge", body });
});
afterAll(() => cleanup.disposeAsync());

/** Other tests on this node may have installed the kinds; Helm takes over what says that it is Helm's. */
async function adoptKinds(): Promise<void> {
  const annotations = { "meta.helm.sh/release-name": "tenon", "meta.helm.sh/release-namespace": namespace };
  const body = { metadata: { annotations, labels: { "app.kubernetes.io/managed-by": "Helm" } } };
  for (const name of kinds) {
    const ref = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name };
    await client.patch(ref, { type: "merge", body }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.isNotFound)) throw error;
    });
  }
}

async function helm(...words: string[]): Promise<string> {
  const place = ["--kubeconfig", kubeconfig, "--namespace", namespace];
  try {
    return (await run(helmBinary, [...words, ...place], { maxBuffer: 2 ** 24 })).stdout;
  } catch (error) {
    throw new Error(`helm ${words[0]}: ${await describeTrouble()}`, { cause: error });
  }
}

async function kubectl(...words: string[]): Promise<string> {
  return (await run(kubectlBinary, ["--kubeconfig", kubeconfig, ...words], { maxBuffer: 2 ** 24 })).stdout;
}

const pods = { apiVersion: "v1", kind: "Pod", namespace, labelSelector: "app.kubernetes.io/instance=tenon" };

/** The status of the pods, and the end of their logs. */
async function describeTrouble(): Promise<string> {
  const { items } = await client.list(pods);
  const texts = items.map(async ({ metadata: { name }, status }) => {
    const lines = await Array.fromAsync(readLogs(client, { namespace, name }, {}, AbortSignal.timeout(300_000))).catch(
      () => [],
    );
    return `${name}: ${JSON.stringify(valueAt(status, ["containerStatuses"]))}\n${lines.slice(-20).join("\n")}`;
  });
  return (await Promise.all(texts)).join("\n");
}

async function statuses(): Promise<unknown[]> {
  return (await client.list(plugs)).items.map(({ status }) => status);
}

function reasonOf(plug: KubeObject): string | undefined {
  const conditions = Plug.parse(plug).status?.conditions;
  return conditions?.find(({ type }) => type === "Coupled")?.reason;
}

async function reasonsOfPlugs(): Promise<Record<string, unknown>> {
  const { items } = await client.list(plugs);
  return Object.fromEntries(items.map((plug) => [plug.metadata.namespace, reasonOf(plug)]));
}

/** Who leads, by the name of its pod. */
async function leader(): Promise<string> {
  const ref = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace, name: leaseName };
  const holder = valueAt(await client.find(ref), ["spec", "holderIdentity"]);
  return typeof holder === "string" ? holder.replace(/_.*$/, "") : "";
}

function isRunning({ metadata, status }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined && valueAt(status, ["phase"]) === "Running";
}

async function runningPods(): Promise<string[]> {
  const { items } = await client.list(pods);
  return items.filter(isRunning).map(({ metadata }) => metadata.name);
}

/** Whose token it is, if it is good for that. */
async function reviewToken(spec: { readonly token: string; readonly audiences?: readonly string[] }): Promise<unknown> {
  const { body } = await api.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec });
  return valueAt(body, ["status", "user", "username"]);
}

function flags(values: object): string[] {
  return [
    "--set-json",
    Object.entries(values)
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join(","),
    "--wait",
    "--timeout",
    "3m",
  ];
}

test("the chart installs two pods under the restricted pod security standard, and one of them leads", async () => {
  await helm("install", "tenon", chart, ...flags(settings));
  expect(await runningPods()).toHaveLength(2);
  await expect.poll(async () => (await runningPods()).includes(await leader())).toBe(true);
});

test("the chart grants the rights that Tenon needs, and no others", async () => {
  const { stdout } = await run(packageFile("bin", "tenon"), [
    "doctor",
    "--rbac",
    "--only=couple",
    `--tenon-namespace=${namespace}`,
    `--kubeconfig=${kubeconfig}`,
    `--as=system:serviceaccount:${namespace}:tenon`,
  ]);
  expect(stdout).not.toMatch(/^(missing|not needed)/m);
});

test("the examples of coupling work by kubectl apply", async () => {
  for (const file of examples) await kubectl("apply", "--filename", file);
  await expect.poll(reasonsOfPlugs).toEqual({
    apparatus: "CouplingSucceeded",
    "bar-namespace": "CouplingSucceeded",
    "config-plug": "CouplingSucceeded",
    "data-plug": "CouplingSucceeded",
    interface: "CouplingSucceeded",
    "interface-name": "InterfaceMismatch",
    resources: "CouplingSucceeded",
    results: "CouplingSucceeded",
    shop: "CouplingSucceeded",
    vars: "CouplingSucceeded",
  });
});

test("an apparatus is called by its cluster DNS name, with a token for that apparatus only", async () => {
  const pod = { namespace: "apparatus", name: "my-socket-apparatus" };
  const lines = await Array.fromAsync(readLogs(client, pod, {}, AbortSignal.timeout(300_000)));
  const calls = lines.filter((line) => line.startsWith("{")).map((line): unknown => JSON.parse(line));
  const paths = calls.map((call) => valueAt(call, ["path"]));
  expect(new Set(paths)).toEqual(new Set(["/socket/ping", "/socket/created", "/socket/config", "/socket/coupled"]));
  const token = String(valueAt(calls[paths.indexOf("/socket/coupled")], ["token"])).replace("Bearer ", "");
  const whose = await reviewToken({ token, audiences: ["integration-operator"] });
  expect(whose).toBe(`system:serviceaccount:${namespace}:tenon`);
  expect(await reviewToken({ token }), "nothing for the API server").toBeUndefined();
});

test("the Service exposes the metrics of each replica", async () => {
  const ref = { apiVersion: "v1", kind: "Endpoints", namespace, name: "tenon-metrics" };
  const addresses = valueAt(await client.get(ref), ["subsets", 0, "addresses"]);
  expect(addresses).toHaveLength(2);
  const [address] = Array.isArray(addresses) ? addresses.map((each) => String(valueAt(each, ["ip"]))) : [];
  const response = await fetch(`http://${address}:9090/metrics`);
  expect(await response.text()).toContain("tenon_");
});

test("an upgrade and a rollback replace the pods, and plugs stay coupled", async () => {
  const before = await runningPods();
  const coupled = await statuses();
  await helm("upgrade", "tenon", chart, ...flags({ ...settings, replicas: 1, podLabels: { round: "two" } }));
  await expect.poll(runningPods).toHaveLength(1);
  expect(before).not.toContain((await runningPods())[0]);
  await expect.poll(async () => (await runningPods()).includes(await leader())).toBe(true);
  await helm("rollback", "tenon", "1", "--wait", "--timeout", "3m");
  await expect.poll(runningPods).toHaveLength(2);
  await expect.poll(async () => (await runningPods()).includes(await leader())).toBe(true);
  expect(await statuses()).toEqual(coupled);
});

test("uninstalling the chart leaves the CRDs, the key and the Lease, and nothing else", async () => {
  for (const file of examples) await kubectl("delete", "--filename", file, "--wait=false", "--ignore-not-found");
  await expect.poll(reasonsOfPlugs).toEqual({});
  await helm("uninstall", "tenon", "--wait", "--timeout", "2m");
  await expect.poll(async () => (await client.list(pods)).items).toEqual([]);
  const types = "all,configmaps,secrets,serviceaccounts,roles,rolebindings,poddisruptionbudgets,leases,endpointslices";
  const left = await kubectl("get", types, "--namespace", namespace, "--output", "name");
  expect(left.trim().split("\n").toSorted()).toEqual([
    "configmap/kube-root-ca.crt",
    `lease.coordination.k8s.io/${leaseName}`,
    "secret/tenon-installation",
    "serviceaccount/default",
  ]);
  expect(await kubectl("get", "clusterroles,clusterrolebindings", "--output", "name")).not.toContain("/tenon");
  const crds = await kubectl("get", "customresourcedefinitions", "--output", "name");
  for (const name of kinds) expect(crds).toContain(`/${name}`);
  await kubectl("delete", "customresourcedefinitions", ...kinds);
});
