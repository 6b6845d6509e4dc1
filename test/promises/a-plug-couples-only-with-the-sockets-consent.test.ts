import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "nonprod-guest");

const selector = (more: object) => ({ allowedPlugs: { namespaces: "Selector", selector: more } });

async function coupledTo(socket: string): Promise<unknown> {
  return valueAt(await world.client.get(world.ref("Socket", socket)), ["status", "coupledPlugs"]);
}

describe("a list of namespaces", () => {
  test.each([
    { reason: "a part of the name is not the name", lists: { namespaceWhitelist: ["prod", "guest", "nonprod"] } },
    {
      reason: "anchors inside do not loosen it",
      lists: { namespaceWhitelist: ["^x|nonprod-guest$|", "(?m)^nonprod$"] },
    },
    { reason: "look-alikes are others", lists: { namespaceWhitelist: ["nоnprod-guest-.*", "NONPROD-GUEST-.*"] } },
    { reason: "black comes before white", lists: { namespaceWhitelist: [".*"], namespaceBlacklist: ["nonprod-.*"] } },
    {
      reason: "case is kept, unless it says otherwise",
      lists: { namespaceWhitelist: [".*"], namespaceBlacklist: ["(?i)NONPROD-.*"] },
    },
    { reason: "no expression at all", lists: { namespaceWhitelist: [".*"], namespaceBlacklist: ["("] } },
    { reason: "a look around, which RE2 has not", lists: { namespaceWhitelist: ["(?=nonprod).*"] } },
    {
      reason: "one that would take all memory",
      lists: { namespaceWhitelist: [".*"], namespaceBlacklist: ["((a{1,100}){1,100}){1,100}"] },
    },
  ])(
    "F-12: a list of namespaces rejects every namespace that it does not match: $reason",
    async ({ reason, lists }) => {
      const name = reason
        .replaceAll(/[^a-z]+/g, "-")
        .slice(0, 40)
        .replace(/-$/, "");
      await world.apply(world.socket(name, { validation: lists }));
      await tenant.create(tenant.plug(name, { socket: { name, namespace: world.prov } }));
      expect(await tenant.refusal(name)).toMatch(
        /is blacklisted|is not whitelisted|admits no plug: spec\.validation\./,
      );
      expect(await coupledTo(name)).toBe(undefined);
    },
  );
});

describe("a selector of namespaces", () => {
  test("F-11: a namespace has the labels that its administrator set, and a tenant cannot set them", async () => {
    const absent = { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "DoesNotExist" }] };
    await world.apply(
      world.socket("labelled", selector({ matchLabels: { team: "trusted" } })),
      world.socket("unlabelled", selector(absent)),
    );
    const body = { metadata: { labels: { team: "trusted" } } };
    const namespaceRef = { apiVersion: "v1", kind: "Namespace", name: tenant.namespace };
    await expect(tenant.client.patch(namespaceRef, { type: "merge", body })).rejects.toThrow("cannot patch");
    for (const name of ["labelled", "unlabelled"]) {
      const plug = tenant.plug(name, { socket: { name, namespace: world.prov } });
      const labels = { team: "trusted" };
      await tenant.create({ ...plug, metadata: { ...plug.metadata, labels, annotations: labels } });
      expect(await tenant.refusal(name)).toMatch(/namespace .* is not allowed; .* spec\.allowedPlugs/);
      expect(await coupledTo(name)).toBe(undefined);
    }
  });

  test("F-11: a service account in a list counts only together with its namespace", async () => {
    const serviceAccounts = [`${world.app}/trusted`];
    await world.apply(
      world.socket("accounts", { allowedPlugs: { serviceAccounts } }),
      world.plug("neighbour", { socket: { name: "accounts", namespace: world.prov }, serviceAccountName: "trusted" }),
    );
    const socket = { name: "accounts", namespace: world.prov };
    await tenant.create(tenant.plug("imposter", { socket, serviceAccountName: "trusted" }));
    expect(await tenant.refusal("imposter")).toMatch(
      /service account .*\/trusted is not allowed; .* spec\.allowedPlugs/,
    );
    await world.waitUntilCoupled("neighbour");
    expect(await coupledTo("accounts")).toHaveLength(1);
  });
});

test("H71: a burst of plugs does not exceed the limit, and other tenants keep their slots", async () => {
  const socket = { name: "two", namespace: world.prov };
  await world.apply(world.socket("two", { limit: 2 }), world.plug("first", { socket }));
  await world.waitUntilCoupled("first");
  const names = Array.from({ length: 12 }, (_, index) => `burst-${index}`);
  await Promise.all(names.map((name) => tenant.create(tenant.plug(name, { socket }))));
  const told = async () =>
    (await Promise.all(names.map((name) => world.client.get(tenant.ref("Plug", name))))).map((plug) =>
      JSON.stringify(plug["status"] ?? ""),
    );
  await expect.poll(async () => (await told()).filter((status) => status.includes("LimitReached")).length).toBe(11);
  expect(await coupledTo("two")).toHaveLength(2);
  await world.waitUntilCoupled("first");
  expect((await told()).join()).toContain("the socket's limit of 2 is reached; a plug must leave first");
});
