import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { valueAt } from "#base";
import type { KubeClient, KubeObject, NewObject } from "#kube";
import { nodePath, writeImageArchive } from "#oci";
import { useEnvironments } from "../../src/promotion/environments/use-environments.fixture.ts";
import { makeProbeImage } from "./probe-image.ts";
import { useNode } from "./use-node.ts";

const image = "localhost/probe:network";
const { load, registry } = useNode();
const world = useEnvironments();
const { namespace: tenant } = world;
const polling = { interval: 200 };
let own: string;
let other: string;
/** A client with the kubeconfig of the environment. */
let inside: KubeClient;

beforeAll(async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-network-"));
  const archive = join(directory.path, "probe.tar");
  await writeImageArchive([await makeProbeImage(image)], archive);
  await load(archive);
  await world.start();
  const className = await world.createClass("apart", { grace: "1s" });
  [own, other] = [await makeEnvironment("inside", className), await makeEnvironment("beside", className)];
  inside = await world.clientOf("inside");
  for (const name of ["one", "two"]) await inside.create(probe(name, own));
  await inside.create({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "two", namespace: own },
    spec: { selector: { probe: "two" }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await world.client.create(probe("one", other));
  await world.client.create(probe("tenant", tenant));
});

test("P54: pods of an environment reach each other, also by the name of a Service, and the tenant's pods reach them", async () => {
  expect(await fromEnvironment(`http://${await addressOf(own, "two")}:8080/`)).toBe("200 two");
  await expect.poll(() => fromEnvironment("http://two/"), polling).toBe("200 two");
  expect(await fromTenant(`http://${await addressOf(own, "one")}:8080/`)).toBe("200 one");
});

test("P54: pods of an environment reach no pod of the tenant, of another environment or elsewhere, nor API server, node and registry", async () => {
  const node = await theNode();
  const [, port] = registry.split(":");
  const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "default", name: "kubernetes" };
  const machine = String(valueAt(await world.client.get(slice), ["endpoints", 0, "addresses", 0]));
  const places = {
    tenant: `http://${await addressOf(tenant, "tenant")}:8080/`,
    "another environment": `http://${await addressOf(other, "one")}:8080/`,
    "API server": "https://kubernetes.default.svc/version",
    kubelet: `https://${String(valueAt(node, ["status", "addresses", 0, "address"]))}:10250/pods`,
    registry: `http://${machine}:${port}/v2/`,
  };
  const [seen, refused] = [{}, {}] as [Record<string, string>, Record<string, string>];
  for (const [place, url] of Object.entries(places)) {
    if (place !== "another environment") seen[place] = await fromTenant(url);
    refused[place] = await fromEnvironment(url);
  }
  // The tenant's pod, which no policy bounds, gets answers, or errors of TLS: all of these places are there.
  expect(Object.entries(seen).filter(([, answer]) => answer.includes("UNREACH"))).toEqual([]);
  const unreachable = expect.stringContaining("EHOSTUNREACH");
  expect(refused).toEqual(Object.fromEntries(Object.keys(places).map((place) => [place, unreachable])));
});

test("P54: no pod of another environment and no program of the machine reaches the pods of an environment", async () => {
  const target = `http://${await addressOf(own, "one")}:8080/`;
  const relay = `http://${await addressOf(other, "one")}:8080/fetch?url=${encodeURIComponent(target)}`;
  expect(await fromTenant(relay)).toContain("EHOSTUNREACH");
  await expect(fetch(target)).rejects.toMatchObject({ cause: { code: "EHOSTUNREACH" } });
});

test("P54: a pod of an environment is bounded before its first container starts", async () => {
  const host = await addressOf(tenant, "tenant");
  const connect = `require("node:net").connect(8080, "${host}")`;
  const program = `${connect}.on("connect", () => process.exit(1)).on("error", ({ code }) => process.exit(code === "EHOSTUNREACH" ? 0 : 2))`;
  const names = ["first-0", "first-1", "first-2", "first-3"];
  for (const name of names) {
    const spec = { restartPolicy: "Never", containers: [{ ...container, command: [nodePath, "--eval", program] }] };
    await inside.create({ ...probe(name, own), spec });
  }
  const phases = () => Promise.all(names.map(async (name) => phaseOf(await podNamed(own, name))));
  await expect.poll(phases, polling).toEqual(names.map(() => "Succeeded"));
});

test("a network policy that is made later bounds pods that run, until it is gone", async () => {
  const target = `http://${await addressOf(tenant, "tenant")}:8080/`;
  const ask = async () => await fetch(target, { headers: { connection: "close" } }).then(String, causeOf);
  const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
  const metadata = { name: "closed", namespace: tenant };
  expect(await ask()).toBe("[object Response]");
  await world.client.create({ ...policy, metadata, spec: { podSelector: {}, policyTypes: ["Ingress"] } });
  await expect.poll(ask, polling).toBe("EHOSTUNREACH");
  await world.client.delete({ ...policy, ...metadata });
  await expect.poll(ask, polling).toBe("[object Response]");
});

async function makeEnvironment(name: string, className: string): Promise<string> {
  await world.createClaim(name, { className });
  return world.environmentOf(await world.untilPhase(name, "Ready"));
}

const container = { name: "probe", image, imagePullPolicy: "Never" };

function probe(name: string, namespace: string): NewObject {
  const readinessProbe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { probe: name } },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ ...container, readinessProbe }] },
  };
}

/** What a pod of the environment gets. The tenant's pod asks it, because the machine may not. */
async function fromEnvironment(url: string): Promise<string> {
  const asked = `http://${await addressOf(own, "one")}:8080/fetch?url=${encodeURIComponent(url)}`;
  return (await fromTenant(asked)).replace(/^(200|500) /, "");
}

async function fromTenant(url: string): Promise<string> {
  const asked = `http://${await addressOf(tenant, "tenant")}:8080/fetch?url=${encodeURIComponent(url)}`;
  return await (await fetch(asked, { headers: { connection: "close" }, signal: AbortSignal.timeout(60_000) })).text();
}

/** Where a pod listens, once it is ready. */
async function addressOf(namespace: string, name: string): Promise<string> {
  const isReady = async () => {
    const conditions = valueAt(await podNamed(namespace, name), ["status", "conditions"]);
    return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Ready" && status === "True");
  };
  await expect.poll(isReady, { ...polling, message: `pod ${name} is ready` }).toBe(true);
  return String(valueAt(await podNamed(namespace, name), ["status", "podIP"]));
}

async function podNamed(namespace: string, name: string): Promise<KubeObject> {
  return await world.client.get({ apiVersion: "v1", kind: "Pod", namespace, name });
}

function phaseOf(pod: KubeObject): unknown {
  return valueAt(pod, ["status", "phase"]);
}

async function theNode(): Promise<KubeObject> {
  const [node] = (await world.client.list({ apiVersion: "v1", kind: "Node" })).items;
  if (!node) throw new Error("expected one node, got none");
  return node;
}

function causeOf(error: unknown): unknown {
  return valueAt(error, ["cause", "code"]);
}
