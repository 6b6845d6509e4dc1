import { expect, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "glutton");
const socket = () => ({ name: "shared", namespace: world.prov });

const polled = (plug: unknown) => Object(valueAt(plug, ["status", "polled"]) ?? []);

async function expectServed(name: string): Promise<void> {
  const resources = [{ template: configMapTemplate("made-{% .plug.metadata.name %}") }];
  await world.apply(world.socket("shared", {}), world.plug(name, { socket: socket(), resources }));
  await world.waitUntilCoupled(name);
}

test("a plug that fails with ever new messages causes few Events", async () => {
  await world.apply(world.socket("shared", {}));
  const resources = [{ template: configMapTemplate("never", { a: "{% fail .plug.spec.epoch %}" }) }];
  await tenant.create(tenant.plug("talks", { socket: socket(), resources }));
  for (let round = 0; round < 30; round += 1) {
    await tenant.change("talks", { epoch: `word-${round}` });
    await world.waitFor(tenant.ref("Plug", "talks"), (plug) =>
      JSON.stringify(plug?.["status"] ?? {}).includes(`word-${round}`),
    );
  }
  const selection = { apiVersion: "events.k8s.io/v1", kind: "Event", namespace: tenant.namespace };
  await world.flush();
  const { items } = await world.client.list(selection);
  const told = items.filter(({ regarding }) => valueAt(regarding, ["name"]) === "talks");
  const failed = told.filter(({ reason }) => reason === "IntegrationFailed");
  expect(failed).not.toEqual([]);
  // What differs is in the condition `Failed`, so that these are one Event that is repeated.
  expect(new Set(failed.map(({ note }) => note)).size).toBe(1);
  expect(told.length).toBeLessThanOrEqual(25);
});

test("a plug of the largest size that the server accepts couples or says why not, and others couple", async () => {
  await world.apply(world.socket("shared", {}));
  const config = { large: "x".repeat(700_000) };
  const copies = {
    template: configMapTemplate("copy", { a: "{% .plugConfig.large %}", b: "{% .plugConfig.large %}" }),
  };
  await tenant.create(
    tenant.plug("large", { socket: socket(), config }),
    tenant.plug("copies", { socket: socket(), config, resources: [copies] }),
  );
  await expectServed("beside-giant");
  await tenant.waitUntilCoupled("large");
  expect(await tenant.refusal("copies")).toMatch(
    /spec\.resources\[0\]\.template\.data\.b.*\n?.*writes more than 1048576 bytes/,
  );
  const { status } = await world.client.get(tenant.ref("Plug", "copies"));
  expect(JSON.stringify(status).length).toBeLessThan(10_000);
});

test("a namespace gets 100 watches of its objects; further objects are polled, and an Event says so", async () => {
  await world.apply(world.socket("shared", {}));
  const names = Array.from({ length: 130 }, (_, index) => `watched-${index}`);
  await Promise.all(
    names.map((name) => {
      const metadata = { name, namespace: tenant.namespace };
      return world.client.create({ apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80 }] } });
    }),
  );
  const vars = names.map((name) => ({ name, objref: { version: "v1", kind: "Service", name } }));
  await tenant.create(tenant.plug("watcher", { socket: socket(), vars }));
  const told = await world.waitFor(tenant.ref("Plug", "watcher"), (plug) => polled(plug).length > 0);
  expect(polled(told)).toHaveLength(30);
  await expectServed("beside-watcher");
});

test("other plugs couple beside 60 plugs that always fail, each of which backs off", async () => {
  await world.apply(world.socket("shared", {}));
  const resources = [{ template: configMapTemplate("never", { a: "{% fail (uuidv4) %}" }) }];
  const names = Array.from({ length: 60 }, (_, index) => `fails-${index}`);
  await Promise.all(names.map((name) => tenant.create(tenant.plug(name, { socket: socket(), resources }))));
  await expectServed("beside-failures");
  const rested = await world.waitFor(
    tenant.ref("Plug", "fails-0"),
    (plug) => Number(valueAt(plug, ["status", "lastError", "attempts"])) >= 3,
  );
  const { at, retryAt } = Object(valueAt(rested, ["status", "lastError"]));
  expect(Date.parse(retryAt) - Date.parse(at)).toBeGreaterThan(3_000);
});
