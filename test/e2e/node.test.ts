import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { valueAt } from "#base";
import { inspectBinary, type LoadedImage, loadImages, startCluster } from "#cluster";
import { connectTestApi, temporaryHome } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, readLogs } from "#kube";
import { nodePath, writeImageArchive } from "#oci";
import { makeProbeImage, pushImage } from "./probe-image.ts";
import { useNode } from "./use-node.ts";

const image = "localhost/probe:1";
const { namespace, kubeconfig, registry, load } = useNode();
const cleanup = new AsyncDisposableStack();
const labels = { app: "probe" };
let client: KubeClient;
let archive: string;
let digest: string;
let loaded: readonly LoadedImage[];

beforeAll(async () => {
  client = createClient(cleanup.use(connect(await loadAccess({ kubeconfig }))));
  const directory = cleanup.use(await mkdtempDisposable(join(tmpdir(), "tenon-node-")));
  archive = join(directory.path, "probe.tar");
  const probe = await makeProbeImage(image);
  await writeImageArchive([probe], archive);
  digest = probe.digest;
  loaded = await load(archive);
  await client.create(podOf("probe-a"));
  await client.create(podOf("probe-b"));
  await client.create(serviceOf("probe", {}));
});
afterAll(() => cleanup.disposeAsync());

test("loading images returns their names and digests", () => {
  expect(loaded).toEqual([{ file: archive, name: image, digest }]);
});

test("a pod runs an image that was loaded from a file, and answers at its address", async () => {
  expect(await ask(await addressOf("probe-a"), "/")).toBe("probe-a");
});

test("a container that fails its liveness probe is restarted", async () => {
  const livenessProbe = { httpGet: { path: "/no-such-answer", port: 8080 }, periodSeconds: 1, failureThreshold: 1 };
  await client.create(podOf("sick", { livenessProbe }, { labels: {} }));
  await expect.poll(() => restartsOf("sick")).toBeGreaterThan(0);
  await client.delete({ apiVersion: "v1", kind: "Pod", namespace, name: "sick" });
});

test("the log contains what the container wrote", async () => {
  await addressOf("probe-a");
  const lines = readLogs(client, { namespace, name: "probe-a" }, {}, AbortSignal.timeout(300_000));
  expect(await Array.fromAsync(lines)).toEqual(["probe listens"]);
});

test("exec runs a command in the container", async () => {
  await addressOf("probe-a");
  const { kubectl } = await inspectBinary(inject("node").home);
  const pod = ["--kubeconfig", kubeconfig, "--namespace", namespace, "exec", "probe-a"];
  const { stdout } = await promisify(execFile)(kubectl, [...pod, "--", nodePath, "/probe.mjs", "hello"]);
  expect(stdout).toBe("hello from probe-a\n");
});

test("a Service balances over its pods, for the host and for a pod, that pod itself included", async () => {
  const service = await clusterAddress("probe");
  const fromMachine = new Set<string>();
  await expect.poll(async () => fromMachine.add(await ask(`${service}:80`, "/")).size).toBe(2);
  const pod = await addressOf("probe-a");
  const fromPod = new Set<string>();
  await expect.poll(async () => fromPod.add(await askFrom(pod, `http://${service}/`)).size).toBe(2);
  expect(fromPod).toEqual(new Set(["200 probe-a", "200 probe-b"]));
});

test("a pod resolves the names of Services", async () => {
  const pod = await addressOf("probe-a");
  for (const name of ["probe", `probe.${namespace}`, `probe.${namespace}.svc.cluster.local`]) {
    await expect.poll(() => askFrom(pod, `http://${name}/healthz`), { message: name }).toBe("200 ok");
  }
  expect(await askFrom(pod, `http://no-such.${namespace}.svc.cluster.local/`)).toMatch(/ENOTFOUND/);
});

test("a pod calls the API server with the rights of its service account", async () => {
  const pod = await addressOf("probe-a");
  expect(await ask(pod, "/api?path=/version")).toMatch(/^200 .*"gitVersion"/s);
  const path = encodeURIComponent(`/api/v1/namespaces/${namespace}/secrets`);
  expect(await ask(pod, `/api?path=${path}`)).toMatch(
    new RegExp(`^403 .*system:serviceaccount:${namespace}:default`, "s"),
  );
});

test("a pod fails at once when it calls an external address", async () => {
  expect(await askFrom(await addressOf("probe-a"), "http://203.0.113.1/")).toMatch(/EHOSTUNREACH|ENETUNREACH/);
});

test("a StatefulSet has a volume that binds, outlives its pod, and grows", async () => {
  await client.create(serviceOf("kept", { clusterIP: "None", selector: { app: "kept" } }));
  await client.create(statefulSet());
  await ask(await addressOf("kept-0"), "/write?line=one");
  const before = await podNamed("kept-0");
  await client.delete({ apiVersion: "v1", kind: "Pod", namespace, name: "kept-0" });
  await expect.poll(async () => (await podNamed("kept-0"))?.metadata.uid).not.toBe(before?.metadata.uid);
  await ask(await addressOf("kept-0"), "/write?line=two");
  expect(await ask(await addressOf("kept-0"), "/read")).toBe("one\ntwo\n");

  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: "data-kept-0" };
  const found = await client.get(claim);
  expect(found).toMatchObject({ spec: { storageClassName: "standard" }, status: { phase: "Bound" } });
  const spec = { ...Object(found["spec"]), resources: { requests: { storage: "2Gi" } } };
  await client.replace({ ...found, spec });
  await expect.poll(async () => valueAt(await client.get(claim), ["status", "capacity", "storage"])).toBe("2Gi");
  // By the name that a StatefulSet's pods have.
  const name = `kept-0.kept.${namespace}.svc.cluster.local`;
  await expect.poll(async () => askFrom(await addressOf("probe-a"), `http://${name}:8080/`)).toBe("200 kept-0");
});

test("an image is pulled from the registry on loopback", async () => {
  await pushImage(await makeProbeImage(`${registry}/probe:pushed`), registry, "probe", "pushed");
  await client.create(podOf("pulled", { image: `${registry}/probe:pushed`, imagePullPolicy: "Always" }));
  expect(await ask(await addressOf("pulled"), "/")).toBe("pulled");
});

test("two instances with a node each live side by side", async () => {
  await using home = await temporaryHome();
  const never = new AbortController().signal;
  const name = "beside";
  const other = await startCluster({ home, name, node: true, endsWithUs: true }, never);
  await loadImages({ home, name, files: [archive] }, never);
  await using admin = connectTestApi(other.kubeconfig);
  const pods = "/api/v1/namespaces/default/pods";
  await admin.call("POST", pods, podOf("beside", {}, { namespace: "default" }));
  const address = async () => valueAt((await admin.call("GET", `${pods}/beside`)).body, ["status", "podIP"]);
  await expect.poll(address).toBeTypeOf("string");
  const beside = `${String(await address())}:8080`;
  await expect.poll(() => ask(beside, "/").catch(() => "")).toBe("beside");
  expect(await ask(await addressOf("probe-a"), "/")).toBe("probe-a");
  expect(await askFrom(await addressOf("probe-a"), `http://${beside}/`), "not from the other's pods").toMatch(
    /UNREACH/,
  );
});

function podOf(name: string, container: object = {}, metadata: object = {}) {
  const readinessProbe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels, ...metadata },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: "probe", image, imagePullPolicy: "Never", readinessProbe, ...container }],
    },
  };
}

function serviceOf(name: string, spec: object) {
  const ports = [{ port: 80, targetPort: 8080 }];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: labels, ports, ...spec },
  };
}

function statefulSet() {
  const template = podOf("", { volumeMounts: [{ name: "data", mountPath: "/data" }] });
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "kept", namespace },
    spec: {
      serviceName: "kept",
      selector: { matchLabels: { app: "kept" } },
      template: { metadata: { labels: { app: "kept" } }, spec: template.spec },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
    },
  };
}

async function podNamed(name: string): Promise<KubeObject | undefined> {
  return await client.find({ apiVersion: "v1", kind: "Pod", namespace, name });
}

async function restartsOf(name: string): Promise<unknown> {
  const statuses = valueAt(await podNamed(name), ["status", "containerStatuses"]);
  return Array.isArray(statuses) ? statuses[0]?.restartCount : undefined;
}

/** Where a pod listens, once it is ready. */
async function addressOf(name: string): Promise<string> {
  const isReady = async () => {
    const conditions = valueAt(await podNamed(name), ["status", "conditions"]);
    return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Ready" && status === "True");
  };
  await expect.poll(isReady, { message: `pod ${name} is ready` }).toBe(true);
  return `${String(valueAt(await podNamed(name), ["status", "podIP"]))}:8080`;
}

async function clusterAddress(name: string): Promise<string> {
  const service = await client.get({ apiVersion: "v1", kind: "Service", namespace, name });
  return String(valueAt(service, ["spec", "clusterIP"]));
}

async function ask(address: string, path: string): Promise<string> {
  // Each question on a connection of its own: a Service chooses a pod a connection.
  const headers = { connection: "close" };
  return await (await fetch(`http://${address}${path}`, { headers, signal: AbortSignal.timeout(60_000) })).text();
}

async function askFrom(pod: string, url: string): Promise<string> {
  return await ask(pod, `/fetch?url=${encodeURIComponent(url)}`);
}
