import { expect, test } from "vitest";
import { defaultApparatusSettings } from "#coupling";
import { useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

/** A name server that knows every name: what it says may be what a Service led to a moment ago. */
const asked: string[] = [];
async function resolve(host: string) {
  asked.push(host);
  return [{ address: "192.0.2.1", family: 4 }];
}

const world = useCoupling({ apparatusSettings: { ...defaultApparatusSettings, apiServer: ["203.0.113.9"], resolve } });
const tenant = useTenant(world, "alias", [{ apiGroups: [""], resources: ["services"], verbs: ["*"] }]);

const service = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: tenant.namespace },
  spec,
});
const asks = (name: string, host: string) =>
  tenant.plug(name, { apparatus: { endpoint: `http://${host}:8080`, containers: [] } });

test.each([
  { reason: "of another namespace", externalName: () => `db.${world.prov}.svc.cluster.local` },
  { reason: "of the network around", externalName: () => "intranet.example.com" },
])("F-10: a Service of the own namespace that is an alias of another host is not called: $reason", async (row) => {
  const name = row.reason.replaceAll(" ", "-");
  await tenant.create(
    service(name, { type: "ExternalName", externalName: row.externalName() }),
    asks(name, `${name}.${tenant.namespace}.svc`),
  );
  expect(await tenant.refusal(name)).toMatch(
    /is of type ExternalName, which can point to any host, and is not called; use a Service with pods/,
  );
});

test("F-10: the pods of a Service are found through the API server, and DNS is not asked", async () => {
  await tenant.create(
    service("headless", { clusterIP: "None", ports: [{ port: 8080 }], selector: { app: "none" } }),
    asks("headless", `headless.${tenant.namespace}.svc.cluster.local`),
    asks("missing", `missing.${tenant.namespace}.svc`),
  );
  expect(await tenant.refusal("headless")).toContain(`Service ${tenant.namespace}/headless has no ready pod`);
  expect(await tenant.refusal("missing")).toContain(`Service ${tenant.namespace}/missing not found`);
  expect(asked).toEqual([]);
});

test("F-10: endpoints that a tenant wrote for a forbidden address are not called", async () => {
  const labels = { "kubernetes.io/service-name": "made-up" };
  await world.client.create({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "made-up", namespace: tenant.namespace, labels },
    addressType: "IPv4",
    endpoints: [{ addresses: ["203.0.113.9"] }],
    ports: [{ port: 8080 }],
  });
  await tenant.create(
    service("made-up", { clusterIP: "None", ports: [{ port: 8080 }] }),
    asks("made-up", `made-up.${tenant.namespace}.svc`),
  );
  expect(await tenant.refusal("made-up")).toContain("203.0.113.9 is the API server, and is never called");
});

test("F-10: a pod's Service that a tenant redirects elsewhere is not called", async () => {
  const containers = [{ name: "c", image: "none.example/none", ports: [{ name: "container", containerPort: 3000 }] }];
  await tenant.create(tenant.plug("own", { suspend: true, apparatus: { containers } }));
  const { apiVersion, kind, metadata } = await world.client.get(tenant.ref("Plug", "own"));
  const ownerReferences = [{ apiVersion, kind, name: "own", uid: metadata.uid ?? "" }];
  const taken = service("own-apparatus", { type: "ExternalName", externalName: "intranet.example.com" });
  await tenant.create({ ...taken, metadata: { ...taken.metadata, ownerReferences } });
  await tenant.change("own", { suspend: false });
  expect(await tenant.refusal("own")).toContain(
    `Service ${tenant.namespace}/own-apparatus has no cluster IP, and the apparatus needs one; delete it`,
  );
});
