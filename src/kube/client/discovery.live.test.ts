import { afterAll, describe, expect, it, vi } from "vitest";
import { InputError } from "#base";
import { internalError, startHttpProxy } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { createClient } from "./client.ts";
import { createDiscovery } from "./discovery.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { refOf } from "./object.ts";
import { accessThrough, presentationOf } from "../transport/proxied-access.fixture.ts";
import { connect } from "../transport/transport.ts";

const { namespace } = useNamespace();
const access = await loadAccess({ kubeconfig: testKubeconfig() });
const transport = connect(access);
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

const pod = { apiVersion: "v1", kind: "Pod" };
const ask = 2;

async function discoverThroughProxy() {
  const proxy = await startHttpProxy({ target: access.server, upstream: await presentationOf(access) });
  const proxied = connect(accessThrough(access, proxy.url));
  const clock = new FakeClock();
  const dispose = async () => {
    await proxied[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  };
  const discovery = createDiscovery(proxied, { clock });
  return { proxy, clock, discovery, transport: proxied, [Symbol.asyncDispose]: dispose };
}

const group = `${namespace}.tenon.dev`;

/** A kind, for as long as the block; served with this scope when the promise is kept, and gone when it is disposed of. */
async function define(plural: string, kind: string, scope: "Namespaced" | "Cluster" = "Namespaced") {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, shortNames: [`x${plural}`] },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  await client.create(definition);
  const served = { apiVersion: `${group}/v1`, kind };
  await vi.waitFor(async () => {
    await client.discovery.refresh();
    expect(await client.discovery.find(served)).toMatchObject({ isNamespaced: scope === "Namespaced" });
  }, 300_000);
  const remove = async () => {
    await client.delete(refOf(definition));
    await vi.waitFor(async () => expect(await client.find(refOf(definition))).toBeUndefined(), 300_000);
  };
  return { served, [Symbol.asyncDispose]: remove };
}

describe("Discovery", () => {
  it("discovery finds the kinds of a real server", async () => {
    const { discovery } = client;
    expect(await discovery.find(pod)).toMatchObject({ plural: "pods", isNamespaced: true, shortNames: ["po"] });
    const { subresources, verbs } = await discovery.find({ apiVersion: "apps/v1", kind: "Deployment" });
    expect(subresources.map(({ name }) => name).toSorted()).toEqual(["scale", "status"]);
    expect(verbs).toEqual(expect.arrayContaining(["create", "delete", "get", "list", "patch", "update", "watch"]));
    expect(await discovery.find({ apiVersion: "v1", kind: "Node" })).toMatchObject({ isNamespaced: false });
    expect(await discovery.findByName("deploy")).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment" });
    expect(await discovery.findByName("Event.events.k8s.io")).toMatchObject({ apiVersion: "events.k8s.io/v1" });
    expect(await discovery.preferredVersion("apps")).toBe("v1");
    expect(await discovery.preferredVersion("nobody.example")).toBeUndefined();
  });

  it("discovery sends one request for many lookups", async () => {
    await using world = await discoverThroughProxy();
    const kinds = ["Pod", "Secret", "ConfigMap"];
    await Promise.all(
      kinds.flatMap((kind) => [kind, kind]).map((kind) => world.discovery.find({ apiVersion: "v1", kind })),
    );
    await world.discovery.resources();
    expect(world.proxy.count()).toBe(ask);
  });

  it("discovery reads again after a failed lookup, at most every 10 s, and concurrent lookups share the request", async () => {
    await using world = await discoverThroughProxy();
    const unknown = { apiVersion: "tenon.example/v1", kind: "Nothing" };
    const lookUp = () => expect(world.discovery.find(unknown)).rejects.toBeInstanceOf(InputError);
    await world.discovery.find(pod);
    await Promise.all([lookUp(), lookUp(), lookUp()]);
    expect(world.proxy.count()).toBe(ask);
    await world.clock.advance(9_999);
    await lookUp();
    expect(world.proxy.count()).toBe(ask);
    await world.clock.advance(1);
    await Promise.all([lookUp(), lookUp(), lookUp()]);
    expect(world.proxy.count()).toBe(2 * ask);
    await world.discovery.find(pod);
    expect(world.proxy.count()).toBe(2 * ask);
  });

  it("finds a kind that was added later, and at once after refresh", async () => {
    await using patient = await discoverThroughProxy();
    await using refreshing = await discoverThroughProxy();
    await Promise.all([patient.discovery.find(pod), refreshing.discovery.find(pod)]);
    await using cups = await define("cups", "Cup");
    await expect(patient.discovery.find(cups.served)).rejects.toThrow(InputError);
    await patient.clock.advance(10_000);
    expect(await patient.discovery.find(cups.served)).toMatchObject({ plural: "cups", isNamespaced: true });
    await Promise.all([refreshing.discovery.refresh(), refreshing.discovery.refresh(), refreshing.discovery.refresh()]);
    expect(refreshing.proxy.count()).toBe(2 * ask);
    expect(await refreshing.discovery.findByName("xcups")).toMatchObject(cups.served);
  });

  it("discovery notices a changed scope after a 404 for a path", async () => {
    await using world = await discoverThroughProxy();
    const proxied = createClient(world.transport, { clock: world.clock });
    const object = { metadata: { name: "a", namespace } };
    {
      await using plates = await define("plates", "Plate");
      expect((await proxied.create({ ...plates.served, ...object })).metadata.namespace).toBe(namespace);
    }
    await using plates = await define("plates", "Plate", "Cluster");
    const ref = { ...plates.served, ...object.metadata };
    await expect(proxied.create({ ...plates.served, ...object })).rejects.toMatchObject({ isNotFound: true });
    await expect(proxied.find(ref)).rejects.toMatchObject({ isNotFound: true });
    await expect(proxied.delete(ref)).rejects.toMatchObject({ isNotFound: true });
    await world.clock.advance(10_000);
    expect((await proxied.create({ ...plates.served, ...object })).metadata.namespace).toBeUndefined();
  });

  it("discovery does not cache a failure", async () => {
    await using world = await discoverThroughProxy();
    world.proxy.answer({ ...internalError(), match: ({ path }) => path === "/apis" });
    await expect(world.discovery.find(pod)).rejects.toMatchObject({ status: 500 });
    world.proxy.restore();
    expect(await world.discovery.find(pod)).toMatchObject(pod);
    await world.clock.advance(10_000);
    world.proxy.answer(internalError());
    const unknown = { apiVersion: "tenon.example/v1", kind: "Nothing" };
    await expect(world.discovery.find(unknown)).rejects.toMatchObject({ status: 500 });
    expect(await world.discovery.find(pod)).toMatchObject(pod);
  });

  it("one aborted lookup does not abort the others", async () => {
    await using world = await discoverThroughProxy();
    using silence = world.proxy.silence({});
    const controller = new AbortController();
    const impatient = world.discovery.find(pod, controller.signal);
    const patient = world.discovery.find(pod);
    await world.proxy.when(({ path }) => path === "/apis");
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    silence.remove();
    expect(await patient).toMatchObject(pod);
    expect(world.proxy.count()).toBe(ask);
  });

  it("discovery refuses a server without aggregated discovery", async () => {
    await using world = await discoverThroughProxy();
    const body = JSON.stringify({ kind: "APIGroupList", apiVersion: "v1", groups: [] });
    world.proxy.answer({ status: 200, headers: { "content-type": "application/json" }, body });
    await expect(world.discovery.find(pod)).rejects.toThrow(/Tenon needs Kubernetes 1.30 or later/);
    world.proxy.restore();
    world.proxy.answer({ status: 406, body: "only the following media types are accepted" });
    await expect(world.discovery.find(pod)).rejects.toBeInstanceOf(InputError);
  });

  it("discovery works while an aggregated API is down, and throws no InputError for its kinds", async () => {
    const down = `down.${group}`;
    const apiService = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `v1.${down}` },
      spec: {
        group: down,
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace, name: "nobody" },
      },
    };
    await client.create(apiService);
    try {
      await vi.waitFor(async () => {
        await client.discovery.refresh();
        const lookUp = client.discovery.find({ apiVersion: `${down}/v1`, kind: "Thing" });
        await expect(lookUp).rejects.toThrow(`"kubectl get apiservice v1.${down}" says why`);
        await expect(lookUp).rejects.not.toBeInstanceOf(InputError);
      }, 300_000);
      expect(await client.discovery.find(pod)).toMatchObject(pod);
      await expect(client.discovery.findByName("nothings")).rejects.toThrow(`APIs that do not answer: v1.${down}`);
    } finally {
      await client.delete(refOf(apiService));
    }
  });
});
