import { afterAll, describe, test } from "vitest";
import { valueAt } from "#base";
import { useCoupling } from "#harness";
import { conditionOf } from "../../lifecycle/unparsed-objects.ts";
import { defaultApparatusSettings } from "../transport/apparatus-settings.ts";
import { recordApparatus, type RecordedCall } from "./recording-apparatus.fixture.ts";

const stub = await recordApparatus();
afterAll(() => stub[Symbol.asyncDispose]());
const endpoints = { plug: `${stub.origin}/plug`, socket: `${stub.origin}/socket` };
const world = useCoupling({ apparatusSettings: { ...defaultApparatusSettings, debugEndpoints: endpoints } });
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const apparatus = { endpoint: "http://anywhere.example", containers: [] };
const isDeleted = ({ path }: RecordedCall) => path === "/plug/deleted";
const pathsOf = (calls: readonly RecordedCall[]) => calls.map(({ path }) => path);

describe.concurrent("an apparatus", () => {
  test("H80: an apparatus is called in order, with exactly the bodies of the protocol, and asked for a config once", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("s80", { apparatus, config: { hello: "world" } }),
      world.plug("p80", { ...on("s80"), apparatus, config: { a: "b" }, data: { d: "e" } }),
    );
    await world.waitUntilCoupled("p80");
    const calls = new Set([...stub.callsFor("s80"), ...stub.callsFor("p80")]);
    const ordered = stub.calls.filter((call) => calls.has(call));
    const paths = pathsOf(ordered);
    expect(paths.slice(0, 2).toSorted()).toEqual(["/plug/created", "/socket/created"]);
    expect(paths.slice(2)).toEqual(["/plug/config", "/socket/config", "/plug/coupled", "/socket/coupled"]);
    const keysOf = (path: string) => Object.keys(ordered.find((call) => call.path === path)?.body ?? {}).toSorted();
    const configKeys = ["plug", "plugData", "socket", "socketData", "version"];
    const stageKeys = ["plug", "plugConfig", "socket", "socketConfig", "version"];
    expect(keysOf("/plug/config")).toEqual(configKeys);
    for (const path of ["/plug/created", "/socket/created", "/plug/coupled"]) expect(keysOf(path)).toEqual(stageKeys);
    const bodyOf = (path: string) => ordered.find((call) => call.path === path)?.body;
    expect(bodyOf("/socket/config")).toMatchObject({ version: 1, plugData: { d: "e" }, socketData: {} });
    expect(bodyOf("/plug/created")).toMatchObject({ version: "1", socket: null, plugConfig: {}, socketConfig: {} });
    expect(bodyOf("/socket/coupled")).toMatchObject({
      version: "1",
      plugConfig: { a: "b" },
      socketConfig: { hello: "world" },
    });
    const ids = ordered.map(({ headers }) => headers["x-integration-id"]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ordered.map(({ headers }) => headers["x-integration-attempt"])).toEqual(ids.map(() => "1"));
    for (const { method, headers } of ordered) {
      expect({ method, type: headers["content-type"] }).toEqual({ method: "POST", type: "application/json" });
    }
  });

  test("H81: an apparatus gives a config, as text, that wins over all other sources", async ({ expect }) => {
    const values = '{"port":5432,"big":1000000,"flag":true,"nul":null,"list":["a"],"obj":{"k":1},"same":"apparatus"}';
    stub.answer("p81", ({ path }) => ({ body: path === "/socket/config" ? values : "{}" }));
    await world.client.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "same81", namespace: world.prov },
      data: { same: "ConfigMap" },
    });
    const out = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "out81" },
      data: { all: "{% .socketConfig | toJson %}" },
    };
    await world.apply(
      world.socket("s81", { apparatus, configConfigMapName: "same81", resources: [{ template: out }] }),
      world.plug("p81", on("s81")),
    );
    await world.waitUntilCoupled("p81");
    const all = valueAt(await world.dataOf("out81", world.prov), ["all"]);
    expect(JSON.parse(String(all))).toEqual({
      port: "5432",
      big: "1000000",
      flag: "true",
      list: '["a"]',
      obj: '{"k":1}',
      same: "apparatus",
    });
  });

  test("H82: an apparatus that fails twice is called again with the same id, and the plug shows its answer meanwhile", async ({
    expect,
  }) => {
    let failures = 0;
    stub.answer("p82", ({ path }) => ({ status: path === "/plug/coupled" && failures++ < 2 ? 500 : 200 }));
    await world.apply(world.socket("s82", {}), world.plug("p82", { ...on("s82"), apparatus }));
    const failed = await world.waitFor(world.ref("Plug", "p82"), (plug) => conditionOf(plug, "Failed") !== undefined);
    const text = `event coupled failed with 500 status from POST ${endpoints.plug}/coupled`;
    expect(conditionOf(failed, "Failed")?.["message"]).toBe(`plug: ${text}`);
    await world.waitUntilCoupled("p82");
    const coupled = stub.callsFor("p82").filter(({ path }) => path === "/plug/coupled");
    expect(new Set(coupled.map(({ headers }) => headers["x-integration-id"])).size).toBe(1);
    expect(coupled.map(({ headers }) => headers["x-integration-attempt"])).toEqual(["1", "2", "3"]);
  });

  test("H82: an apparatus that refuses a call is not called again soon, and the plug shows its message", async ({
    expect,
  }) => {
    stub.answer("p82b", ({ path }) =>
      path === "/plug/coupled" ? { status: 422, body: '{"error":"no such flavour"}' } : {},
    );
    await world.apply(world.socket("s82b", {}), world.plug("p82b", { ...on("s82b"), apparatus }));
    const failed = await world.waitFor(world.ref("Plug", "p82b"), (plug) => conditionOf(plug, "Stalled") !== undefined);
    expect(conditionOf(failed, "Failed")?.["message"]).toMatch(
      /^plug: event coupled failed with 422 .*: no such flavour$/,
    );
    const retryAt = Date.parse(String(valueAt(failed, ["status", "lastError", "retryAt"])));
    const at = Date.parse(String(valueAt(failed, ["status", "lastError", "at"])));
    expect(retryAt - at).toBeGreaterThan(200_000);
    expect(stub.callsFor("p82b").filter(({ path }) => path === "/plug/coupled")).toHaveLength(1);
    stub.answer("p82b", () => ({}));
    await world.apply(world.plug("p82b", { ...on("s82b"), apparatus, config: { flavour: "plain" } }));
    await world.waitUntilCoupled("p82b");
  });

  test("H83: four apparatuses that never answer do not delay a fifth plug, and their plugs say so after a while", async ({
    expect,
  }) => {
    await world.apply(world.socket("s83", {}));
    const names = ["p83-a", "p83-b", "p83-c", "p83-d"];
    for (const name of names) stub.answer(name, ({ path }) => (path === "/plug/coupled" ? undefined : {}));
    const hung = names.map((name) => {
      const { metadata, ...plug } = world.plug(name, { ...on("s83"), apparatus });
      const annotations = { "integration.rock8s.com/apparatus-timeout": "3s" };
      return { ...plug, metadata: { ...metadata, annotations } };
    });
    await world.apply(...hung);
    await Promise.all(names.map((name) => world.waitForReason(name, "CouplingInProcess")));
    await world.apply(world.plug("p83-e", on("s83")));
    await world.waitUntilCoupled("p83-e");
    for (const name of names) {
      const failed = await world.waitFor(world.ref("Plug", name), (plug) => conditionOf(plug, "Failed") !== undefined);
      expect(conditionOf(failed, "Failed")?.["message"]).toContain("event coupled failed: no answer within 3 s");
      stub.answer(name, () => ({}));
    }
    for (const name of names) await world.waitUntilCoupled(name);
  });

  test("is called again with the same id while it answers 202", async ({ expect }) => {
    let calls = 0;
    stub.answer("p202", ({ path }) => {
      if (path !== "/plug/coupled") return {};
      return calls++ < 3 ? { status: 202, headers: { "retry-after": "0" } } : {};
    });
    await world.apply(world.socket("s202", {}), world.plug("p202", { ...on("s202"), apparatus }));
    await world.waitUntilCoupled("p202");
    const coupled = stub.callsFor("p202").filter(({ path }) => path === "/plug/coupled");
    expect(coupled.length).toBe(4);
    expect(new Set(coupled.map(({ headers }) => headers["x-integration-id"])).size).toBe(1);
  });

  test("gets another id for each update, also for one back to old inputs", async ({ expect }) => {
    await world.apply(world.socket("s-ids", { config: { from: "s" } }));
    for (const value of ["a", "b", "a", "b"]) {
      await world.apply(world.plug("p-ids", { ...on("s-ids"), apparatus, config: { value } }));
      await world.waitUntilCoupled("p-ids");
    }
    await world.client.delete(world.ref("Plug", "p-ids"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-ids"));
    const stages = stub.callsFor("p-ids").filter(({ path }) => path !== "/plug/config");
    expect(pathsOf(stages)).toEqual([
      "/plug/created",
      "/plug/coupled",
      "/plug/updated",
      "/plug/updated",
      "/plug/updated",
      "/plug/decoupled",
      "/plug/deleted",
    ]);
    expect(new Set(stages.map(({ headers }) => headers["x-integration-id"])).size).toBe(stages.length);
    expect(stages.at(-2)?.body).toMatchObject({ plugConfig: { value: "b" } });
    const last = { socket: { metadata: { name: "s-ids" } }, plugConfig: { value: "b" }, socketConfig: { from: "s" } };
    expect(stages.at(-1)?.body, "X21: the call to /deleted carries the last known values").toMatchObject(last);
  });
});

test("a restart calls no apparatus", async ({ expect }) => {
  const before = stub.calls.length;
  world.calls.length = 0;
  await world.restart();
  // Looked at, it reads what the apparatus answered before.
  await expect.poll(() => world.calls.filter((call) => call.includes("/secrets/p80"))).not.toEqual([]);
  await world.settle();
  expect(pathsOf(stub.calls.slice(before))).toEqual([]);
});

test("X21: a plug whose deleted failed before a restart tells its apparatus the last known values after it", async ({
  expect,
}) => {
  stub.answer("p21", (call) => ({ status: isDeleted(call) ? 503 : 200 }));
  await world.apply(
    world.socket("s21", { config: { from: "s" } }),
    world.plug("p21", { ...on("s21"), apparatus, config: { value: "a" } }),
  );
  await world.waitUntilCoupled("p21");
  await world.client.delete(world.ref("Plug", "p21"), {});
  await expect.poll(() => stub.callsFor("p21").filter(isDeleted)).not.toEqual([]);
  await world.waitFor(world.ref("Socket", "s21"), (socket) => valueAt(socket, ["status", "coupledPlugsCount"]) === 0);
  await world.stop();
  stub.answer("p21", () => ({}));
  await world.restart();
  await world.waitUntilDeleted(world.ref("Plug", "p21"));
  const last = { socket: { metadata: { name: "s21" } }, plugConfig: { value: "a" }, socketConfig: { from: "s" } };
  expect(stub.callsFor("p21").findLast(isDeleted)?.body).toMatchObject(last);
  const { items } = await world.client.list({ apiVersion: "v1", kind: "Secret", namespace: world.prov });
  expect(items.filter(({ metadata }) => metadata.name.startsWith("s21-"))).toEqual([]);
});
