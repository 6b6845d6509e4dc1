import { expect, test } from "vitest";
import { ApiError, HttpAgent, type KubeObject } from "#kube";
import { FakeClock } from "../../../base/fake-clock.fixture.ts";
import { requestApparatus, NoAnswerError } from "./apparatus-request.ts";
import { EgressError, guardedLookup } from "./egress.ts";
import { serviceAddresses } from "./service-addresses.ts";

const service = (name: string, spec: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "app" },
  spec,
});
const services = [
  service("db", { type: "ClusterIP", clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7", "fd00::7"] }),
  service("balanced", { type: "LoadBalancer", clusterIPs: ["10.96.0.8"], externalIPs: ["203.0.113.1"] }),
  service("sts", { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"] }),
  service("none", { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"] }),
  service("alias", { type: "ExternalName", externalName: "db.victim.svc.cluster.local" }),
];
const slices: KubeObject[] = [
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "sts-1", namespace: "app", labels: { "kubernetes.io/service-name": "sts" } },
    endpoints: [
      { addresses: ["10.244.0.1"], hostname: "sts-0", conditions: { ready: true } },
      { addresses: ["10.244.0.2"], hostname: "sts-1", conditions: { ready: false } },
      { addresses: ["10.244.0.3"], hostname: "sts-2" },
    ],
  },
];

const asked: string[] = [];
const resolve = serviceAddresses(
  {
    async find({ namespace, name }) {
      asked.push(`${namespace}/${name}`);
      return services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    },
    async list({ namespace, labelSelector }) {
      const items = slices.filter(({ metadata: { labels = {}, ...metadata } }) => {
        const [key = "", value] = labelSelector?.split("=") ?? [];
        return metadata.namespace === namespace && labels[key] === value;
      });
      return { items, resourceVersion: "1" };
    },
  },
  "cluster.local",
);
const addressesOf = async (host: string) => (await resolve(host)).map(({ address }) => address);

test.each([
  { host: "db.app.svc", addresses: ["10.96.0.7", "fd00::7"], reason: "its own addresses, of both families" },
  { host: "db.app.svc.cluster.local.", addresses: ["10.96.0.7", "fd00::7"], reason: "by its whole name" },
  { host: "balanced.app.svc", addresses: ["10.96.0.8"], reason: "those of the cluster, not what its author added" },
  { host: "sts.app.svc", addresses: ["10.244.0.1", "10.244.0.3"], reason: "its pods, if they are ready" },
  { host: "sts-2.sts.app.svc", addresses: ["10.244.0.3"], reason: "one of its pods" },
])("a Service resolves to $reason", async ({ host, addresses }) => {
  expect(await addressesOf(host)).toEqual(addresses);
});

test("the addresses of a Service have their IP family", async () => {
  expect(await resolve("db.app.svc")).toEqual([
    { address: "10.96.0.7", family: 4 },
    { address: "fd00::7", family: 6 },
  ]);
});

test.each([
  { host: "alias.app.svc", reason: "by its name" },
  { host: "x.alias.app.svc", reason: "by the name of a pod that it does not have" },
])("ExternalName is refused without revealing its target: $reason", async ({ host }) => {
  const failure: unknown = await resolve(host).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(EgressError);
  expect(String(failure)).toMatch(/Service app\/alias is of type ExternalName/);
  expect(String(failure)).not.toContain("victim");
});

test.each([
  { host: "other.app.svc", says: "Service app/other not found", reason: "it does not exist" },
  { host: "none.app.svc", says: "Service app/none has no ready pod", reason: "it has no pods" },
  { host: "sts-1.sts.app.svc", says: "Service app/sts has no ready pod", reason: "that pod is not ready" },
  { host: "sts-9.sts.app.svc", says: "Service app/sts has no ready pod", reason: "there is no such pod" },
])("a Service without an address is a retryable failure: $reason", async ({ host, says }) => {
  const failure: unknown = await resolve(host).catch((error: unknown) => error);
  expect(failure).toEqual(new NoAnswerError(says, false));
});

test.each(["app.svc", "a.b.db.app.svc", "..app.svc", "_http.db.app.svc", "db.app.svc.evil.example", "db.app"])(
  "%s is not the name of a Service, and no request is made",
  async (host) => {
    asked.length = 0;
    await expect(resolve(host)).rejects.toThrow("host not found");
    expect(asked).toEqual([]);
  },
);

test("without the right to read Services no host is dialled, and the error names the missing right", async () => {
  const forbidden = new ApiError("User tenon cannot get resource services", { status: 403, reason: "Forbidden" });
  const refuse = () => Promise.reject(forbidden);
  const lookup = guardedLookup(async () => [], serviceAddresses({ find: refuse, list: refuse }, "cluster.local"));
  const agent = new HttpAgent({ connect: { lookup } });
  const request = { method: "POST", path: "/config", headers: {} } as const;
  const limits = { clock: new FakeClock(), timeoutMs: 1_000 };
  const calling = requestApparatus(agent, "http://db.app.svc", request, limits, new AbortController().signal);
  await expect(calling).rejects.toBe(forbidden);
  await agent.destroy();
});
