import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const failed = (name: string) =>
  world.waitFor(world.ref("Plug", name), (found) => conditionOf(found, "Failed") !== undefined);
const isExposed = (socket: KubeObject | undefined) => conditionOf(socket, "Exposed") !== undefined;
/** Writes down both configs. */
const configsIn = (name: string) => ({
  when: ["coupled", "updated"],
  template: configMapTemplate(name, { plug: "{% .plugConfig | toJson %}", socket: "{% .socketConfig | toJson %}" }),
});

describe.concurrent("the interface", () => {
  test("a plug of another interface, or without a socket, is stalled until it is corrected, and says what to do", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("s-named", { interface: { name: "postgres" } }),
      world.plug("p-named", { ...on("s-named"), interfaceName: "mongo" }),
      world.plug("p-without", {}),
    );
    const stalled = (name: string) =>
      world.waitFor(world.ref("Plug", name), (found) => conditionOf(found, "Stalled")?.["status"] === "True");
    const named = await stalled("p-named");
    expect(conditionOf(named, "Coupled")).toMatchObject({ status: "False", reason: "InterfaceMismatch" });
    expect(conditionOf(named, "Stalled")).toMatchObject({ reason: "InterfaceMismatch" });
    const without = await stalled("p-without");
    expect(conditionOf(without, "Stalled")).toMatchObject({ message: "no socket is set; set spec.socket.name" });
    for (const plug of [named, without]) {
      expect(conditionOf(plug, "Reconciling")).toBe(undefined);
      expect(conditionOf(plug, "Ready")?.["status"]).toBe("False");
    }
    await world.apply(
      world.plug("p-named", { ...on("s-named"), interfaceName: "postgres" }),
      world.plug("p-without", on("s-named")),
    );
    for (const name of ["p-named", "p-without"]) {
      expect(conditionOf(await world.waitUntilCoupled(name), "Stalled")).toBe(undefined);
    }
  });

  const contract = {
    interface: {
      config: {
        plug: { hello: { default: "world" }, must: { required: true } },
        socket: { howdy: { required: true } },
      },
    },
    config: { howdy: "y", secretExtra: "z" },
  };

  test("H10: defaults of the interface are filled in, and undeclared keys are dropped", async ({ expect }) => {
    await world.apply(
      world.socket("s10", { ...contract, resources: [configsIn("out10")] }),
      world.plug("p10", { ...on("s10"), config: { must: "m", undeclared: "u" } }),
    );
    await world.waitUntilCoupled("p10");
    expect(await world.dataOf("out10", world.prov)).toEqual({
      plug: '{"hello":"world","must":"m"}',
      socket: '{"howdy":"y"}',
    });
  });

  test("H11: a missing required key is named, and the plug couples once the key is set", async ({ expect }) => {
    await world.apply(
      world.socket("s11", { ...contract, resources: [configsIn("out11")] }),
      world.plug("p11", on("s11")),
    );
    const plug = await failed("p11");
    expect(conditionOf(plug, "Coupled")).toMatchObject({
      status: "False",
      reason: "Error",
      message: "coupling failed",
    });
    expect(conditionOf(plug, "Failed")?.["message"]).toContain("plug config property 'must' is required");
    expect(conditionOf(plug, "Stalled")?.["status"]).toBe("True");
    expect(await world.client.find(world.ref("ConfigMap", "out11", world.prov))).toBe(undefined);
    await world.apply(world.plug("p11", { ...on("s11"), config: { must: "m" } }));
    expect(conditionOf(await world.waitUntilCoupled("p11"), "Failed")).toBe(undefined);
  });

  test("H12: a missing required key of the socket fails the plug, and not the socket", async ({ expect }) => {
    await world.apply(
      world.socket("s12", { ...contract, config: {} }),
      world.plug("p12", { ...on("s12"), config: { must: "m" } }),
    );
    const plug = await failed("p12");
    expect(conditionOf(plug, "Failed")?.["message"]).toContain("socket config property 'howdy' is required");
    const socket = await world.client.find(world.ref("Socket", "s12"));
    expect(conditionOf(socket, "Failed")).toBe(undefined);
    expect(conditionOf(socket, "Coupled")?.["reason"]).toBe("SocketEmpty");
  });

  test("H14: an absent half of an interface allows every key, an empty one allows none", async ({ expect }) => {
    await world.apply(
      world.socket("s14", {
        interface: { config: { socket: {} } },
        config: { gone: "1" },
        resources: [configsIn("out14")],
      }),
      world.plug("p14", { ...on("s14"), config: { x: "1" } }),
    );
    await world.waitUntilCoupled("p14");
    expect(await world.dataOf("out14", world.prov)).toEqual({ plug: '{"x":"1"}', socket: "{}" });
  });

  test("H15: an empty string is a valid config value, and not yet a result", async ({ expect }) => {
    const required = { plug: { k: { required: true } }, socket: { k: { required: true } } };
    await world.apply(
      world.socket("s15", { interface: { config: required }, config: { k: "" } }),
      world.plug("p15", { ...on("s15"), config: { k: "" } }),
      world.socket("s15-r", { interface: { result: required }, result: { k: "x" } }),
      world.plug("p15-r", { ...on("s15-r"), result: { k: "" } }),
    );
    await world.waitUntilCoupled("p15");
    await world.waitForReason("p15-r", "WaitingForResult");
    await world.apply(
      world.plug("p15-r", { ...on("s15-r"), result: { k: "x" } }),
      world.socket("s15-r", { interface: { result: required }, result: { k: "" } }),
    );
    const plug = await world.waitFor(world.ref("Plug", "p15-r"), (found) =>
      String(conditionOf(found, "Coupled")?.["message"]).startsWith("socket result property"),
    );
    expect(conditionOf(plug, "Coupled")?.["reason"]).toBe("WaitingForResult");
    await world.apply(world.socket("s15-r", { interface: { result: required }, result: { k: "y" } }));
    await world.waitUntilCoupled("p15-r");
  });

  test("H16: results are checked against the interface", async ({ expect }) => {
    await world.apply(
      world.socket("s16", {
        interface: { result: { socket: { foo: { required: true } }, plug: { bar: {} } } },
        result: { foo: "F", junk: "J" },
      }),
      world.plug("p16", { ...on("s16"), result: { bar: "B" } }),
    );
    const plug = await world.waitUntilCoupled("p16");
    expect(valueAt(plug, ["status", "coupledResult"])).toMatchObject({ plug: { bar: "B" }, socket: { foo: "F" } });
    const binding = String(valueAt(plug, ["status", "binding", "name"]));
    const secret = await world.client.find(world.ref("Secret", binding, world.app));
    const texts = Object.entries(Object(secret?.["data"])).map(([key, value]) => [key, atob(String(value))]);
    expect(Object.fromEntries(texts)).toEqual({ type: "integration", provider: "s16", foo: "F", bar: "B" });
  });

  test("H17: several missing keys are reported in one message, sorted", async ({ expect }) => {
    const plug = { zeta: { required: true }, alpha: { required: true } };
    await world.apply(world.socket("s17", { interface: { config: { plug } } }), world.plug("p17", on("s17")));
    const message = String(conditionOf(await failed("p17"), "Failed")?.["message"]);
    expect(message).toContain("plug config property 'alpha' is required; plug config property 'zeta' is required");
  });

  test("a hidden value of the socket reaches its own resources and nothing of the plug, and open secrets are warned of", async ({
    expect,
  }) => {
    const metadata = { name: "admin18", namespace: world.prov };
    await world.client.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: { password: "only-for-me" } });
    const socket = (property: object) =>
      world.socket("s18", {
        configSecretName: "admin18",
        interface: { config: { socket: { password: property } } },
        resources: [configsIn("socket18")],
      });
    await world.apply(socket({}), world.plug("p18", { ...on("s18"), resources: [configsIn("plug18")] }));
    await world.waitUntilCoupled("p18");
    expect(await world.dataOf("plug18", world.app)).toMatchObject({ socket: '{"password":"only-for-me"}' });
    const exposed = await world.waitFor(world.ref("Socket", "s18"), (found) => isExposed(found));
    expect(conditionOf(exposed, "Exposed")?.["message"]).toMatch(
      /^plugs of every namespace can read password of Secret admin18/,
    );
    expect(conditionOf(exposed, "Ready")?.["status"]).toBe("True");
    await world.apply(socket({ plugVisible: false }));
    await world.waitFor(world.ref("Socket", "s18"), (found) => !isExposed(found));
    await world.waitFor(
      world.ref("ConfigMap", "plug18", world.app),
      (found) => valueAt(found, ["data", "socket"]) === "{}",
    );
    expect(await world.dataOf("socket18", world.prov)).toMatchObject({ socket: '{"password":"only-for-me"}' });
  });
});
