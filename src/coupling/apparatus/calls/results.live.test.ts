import { afterAll, describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { jsonObject } from "../../kinds/index.ts";
import { conditionOf } from "../../lifecycle/unparsed-objects.ts";
import { defaultApparatusSettings } from "../transport/apparatus-settings.ts";
import { type PreparedAnswer, recordApparatus } from "./recording-apparatus.fixture.ts";

const stub = await recordApparatus();
afterAll(() => stub[Symbol.asyncDispose]());
const endpoints = { plug: `${stub.origin}/plug`, socket: `${stub.origin}/socket` };
const world = useCoupling({ apparatusSettings: { ...defaultApparatusSettings, debugEndpoints: endpoints } });
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const apparatus = { endpoint: "http://anywhere.example", containers: [] };

/** Prepares answers to calls about a plug, by their path; others are answered with an empty object. */
function answer(plug: string, answers: Readonly<Record<string, object | PreparedAnswer | undefined>>): void {
  stub.answer(plug, ({ path }) => {
    if (!(path in answers)) return {};
    const given = answers[path];
    return given && "result" in given ? { body: JSON.stringify(given) } : given;
  });
}

const callsTo = (plug: string, path: string) => stub.callsFor(plug).filter((call) => call.path === path);

const seenBy = (side: string) =>
  configMapTemplate(`seen-by-${side}`, {
    all: "{% .plugResult.key %} {% .socketResult.password %} {% .result | toJson %}",
  });

/** The results in clear, as applications read them. */
async function bindingOf(plug: string): Promise<Record<string, string>> {
  const found = await world.client.find(world.ref("Secret", `${plug}-integration-result`, world.app));
  const data = Object.entries(jsonObject(Object(found?.["data"])));
  return Object.fromEntries(
    data.flatMap(([key, value]) => {
      if (typeof value !== "string" || key === "type" || key === "provider") return [];
      return [[key, Buffer.from(value, "base64").toString()]];
    }),
  );
}

describe.concurrent("a result in the answer of an apparatus", () => {
  test("belongs to its side, both sides see the declared keys, and only the binding has it in clear", async ({
    expect,
  }) => {
    answer("p-both", {
      "/plug/coupled": { result: { key: "key-of-the-plug", junk: "junk-of-the-plug" } },
      "/socket/coupled": { result: { port: 5432, flag: true, password: "hunter22-answered" }, more: "ignored" },
    });
    const inner = { interface: { result: { plug: { key: { required: true } } } } };
    await world.apply(
      world.socket("s-both", { ...inner, apparatus, resultResources: [{ template: seenBy("socket") }] }),
      world.plug("p-both", { ...on("s-both"), apparatus, resultResources: [{ template: seenBy("plug") }] }),
    );
    const plug = await world.waitUntilCoupled("p-both");
    const socketResult = { flag: "true", password: "hunter22-answered", port: "5432" };
    expect(await bindingOf("p-both")).toEqual({ key: "key-of-the-plug", ...socketResult });
    const both = "key-of-the-plug hunter22-answered";
    expect(await world.dataOf("seen-by-plug", world.app)).toEqual({ all: `${both} {"key":"key-of-the-plug"}` });
    expect(await world.dataOf("seen-by-socket", world.prov)).toEqual({
      all: `${both} ${JSON.stringify(socketResult)}`,
    });
    const masked = expect.stringMatching(/^sha256:[0-9a-f]{8}$/);
    expect(valueAt(plug, ["status", "coupledResult"])).toMatchObject({
      plug: { key: masked },
      socket: { port: masked, flag: masked, password: masked },
    });
    expect(JSON.stringify(plug)).not.toMatch(/hunter22|of-the-plug/);
  });

  test("counts after 202 answers, from the last one", async ({ expect }) => {
    let calls = 0;
    stub.answer("p-late", ({ path }) => {
      if (path !== "/socket/coupled") return {};
      const isLast = calls++ === 2;
      const body = JSON.stringify({ result: { a: isLast ? "done" : "not yet" } });
      return isLast ? { body } : { status: 202, headers: { "retry-after": "0" }, body };
    });
    await world.apply(world.socket("s-late", { apparatus }), world.plug("p-late", on("s-late")));
    await world.waitUntilCoupled("p-late");
    expect(await bindingOf("p-late")).toEqual({ a: "done" });
  });

  test("is kept when updated answers without one, replaced by another, and removed by an empty one", async ({
    expect,
  }) => {
    const spec = (epoch: string) => world.plug("p-upd", { ...on("s-upd"), epoch });
    answer("p-upd", { "/socket/coupled": { result: { a: "1", b: "1" } } });
    await world.apply(world.socket("s-upd", { apparatus }), spec("first"));
    await world.waitUntilCoupled("p-upd");
    const rows = [
      { updated: {}, want: { a: "1", b: "1" }, reason: "nothing said" },
      { updated: { result: { b: "2" } }, want: { b: "2" }, reason: "another one, as a whole" },
      { updated: { status: 200, body: "OK" }, want: { b: "2" }, reason: "no JSON" },
      { updated: { result: "ok" }, want: { b: "2" }, reason: "a word of its own" },
      { updated: { result: { b: { c: ["2"] } } }, want: { b: '{"c":["2"]}' }, reason: "nested" },
      { updated: { result: {} }, want: {}, reason: "an empty one" },
      { updated: { result: { c: "3" } }, want: { c: "3" }, reason: "a new one" },
    ];
    for (const { updated, want, reason } of rows) {
      answer("p-upd", { "/socket/updated": updated });
      await world.apply(spec(reason));
      await world.waitUntilCoupled("p-upd");
      expect(await bindingOf("p-upd"), reason).toEqual(want);
    }
  });

  test("that is too large fails the stage, and the message has side and stage, not the value", async ({ expect }) => {
    answer("p-bad", { "/plug/coupled": { result: { good: "x", long: "hunter22".repeat(40_000) } } });
    await world.apply(world.socket("s-bad", {}), world.plug("p-bad", { ...on("s-bad"), apparatus }));
    const failed = await world.waitFor(
      world.ref("Plug", "p-bad"),
      (plug) => conditionOf(plug, "Stalled") !== undefined,
    );
    const says = `event coupled failed: POST ${endpoints.plug}/coupled answered with a result of 320022 bytes, where 262144 are allowed`;
    expect(conditionOf(failed, "Failed")?.["message"]).toContain(`plug: ${says}`);
    expect(JSON.stringify(failed)).not.toContain("hunter22");
    answer("p-bad", { "/plug/coupled": { result: { good: "x" } } });
    await world.apply(world.plug("p-bad", { ...on("s-bad"), apparatus, config: { another: "try" } }));
    await world.waitUntilCoupled("p-bad");
    expect(await bindingOf("p-bad")).toEqual({ good: "x" });
  });

  test("is removed with the apparatus, also if that comes back, and does not move with the plug", async ({
    expect,
  }) => {
    answer("p-move", {
      "/socket/coupled": { result: { from: "s-move-1" } },
      "/plug/coupled": { result: { own: "1" } },
    });
    await world.apply(
      world.socket("s-move-1", { apparatus }),
      world.socket("s-move-2", { apparatus }),
      world.plug("p-move", { ...on("s-move-1"), apparatus }),
    );
    await world.waitUntilCoupled("p-move");
    expect(await bindingOf("p-move")).toEqual({ from: "s-move-1", own: "1" });
    await world.apply(world.plug("p-move", on("s-move-1")));
    await world.waitUntilCoupled("p-move");
    expect(await bindingOf("p-move")).toEqual({ from: "s-move-1" });
    answer("p-move", {});
    await world.apply(world.plug("p-move", { ...on("s-move-1"), apparatus }));
    await world.waitUntilCoupled("p-move");
    expect([await bindingOf("p-move"), callsTo("p-move", "/plug/updated").length]).toEqual([{ from: "s-move-1" }, 1]);
    await world.apply(world.plug("p-move", on("s-move-2")));
    await world.waitUntilCoupled("p-move");
    expect(await bindingOf("p-move")).toEqual({});
  });
});

describe("a result in the answer of an apparatus survives", () => {
  test("a failure of the other half and a restart: the finished half is not called again", async ({ expect }) => {
    answer("p-half", { "/plug/coupled": { result: { once: "only" } }, "/socket/coupled": { status: 500 } });
    await world.apply(world.socket("s-half", { apparatus }), world.plug("p-half", { ...on("s-half"), apparatus }));
    await world.waitFor(world.ref("Plug", "p-half"), (plug) => conditionOf(plug, "Failed") !== undefined);
    await world.stop();
    const coupled = callsTo("p-half", "/plug/coupled").length;
    answer("p-half", {});
    await world.restart();
    await world.waitUntilCoupled("p-half");
    expect(await bindingOf("p-half")).toEqual({ once: "only" });
    expect([coupled, callsTo("p-half", "/plug/coupled").length]).toEqual([1, 1]);
  });

  test("H70: the result survives a kill between the halves of a stage, although the apparatus cannot give it again", async ({
    expect,
  }) => {
    answer("p-kill", { "/plug/coupled": { result: { once: "only" } }, "/socket/coupled": undefined });
    await world.apply(world.socket("s-kill", { apparatus }), world.plug("p-kill", { ...on("s-kill"), apparatus }));
    // As a kill before the status is written would leave it: the half is not known to be finished.
    await expect.poll(() => callsTo("p-kill", "/socket/coupled").length).toBeGreaterThan(0);
    await world.stop();
    const body = { status: { pairing: { done: [], answered: null } } };
    await world.client.patch(world.ref("Plug", "p-kill"), { type: "merge", body, subresource: "status" });
    answer("p-kill", {});
    await world.restart();
    await world.waitUntilCoupled("p-kill");
    const ids = callsTo("p-kill", "/plug/coupled").map(({ headers }) => headers["x-integration-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(await bindingOf("p-kill")).toEqual({ once: "only" });
  });

  test("restarts: they call no apparatus, write nothing, and still have it when another source changes", async ({
    expect,
  }) => {
    answer("p-rest", { "/socket/coupled": { result: { a: "first" } } });
    const source = (b: string) => {
      return { ...configMapTemplate("cm-rest", { b }), metadata: { name: "cm-rest", namespace: world.prov } };
    };
    const spec = (epoch: string) => world.plug("p-rest", { ...on("s-rest"), epoch });
    await world.apply(source("0"), world.socket("s-rest", { apparatus, resultConfigMapName: "cm-rest" }));
    for (const b of ["1", "2"]) {
      await world.apply(spec(b));
      await world.waitUntilCoupled("p-rest");
      const before = stub.callsFor("p-rest").length;
      world.calls.length = 0;
      await world.restart();
      const looks = () => world.calls.filter((call) => /^GET .*\/s-rest-integration-/.test(call));
      await expect.poll(looks).not.toEqual([]);
      await world.apply(world.socket(`s-after-${b}`, {}), world.plug(`p-after-${b}`, on(`s-after-${b}`)));
      await world.waitUntilCoupled(`p-after-${b}`);
      await world.flush();
      expect(world.calls.filter((call) => /-rest/.test(call) && !call.startsWith("GET"))).toEqual([]);
      await world.apply(source(b));
      await expect.poll(() => bindingOf("p-rest")).toEqual({ a: "first", b });
      expect(stub.callsFor("p-rest").length).toBe(before);
    }
  });

  test("the loss of its Secret: the applications' results stay, and a new epoch calls the apparatus again", async ({
    expect,
  }) => {
    answer("p-lost", { "/socket/coupled": { result: { a: "1" } }, "/socket/updated": { result: { a: "2" } } });
    await world.apply(world.socket("s-lost", { apparatus }), world.plug("p-lost", on("s-lost")));
    const { uid = "" } = (await world.waitUntilCoupled("p-lost")).metadata;
    const name = `s-lost-integration-${uid.slice(0, 8)}`;
    await world.stop();
    await world.client.delete(world.ref("Secret", name, world.prov), {});
    await world.restart();
    const waiting = await world.waitForReason("p-lost", "WaitingForResult");
    expect(conditionOf(waiting, "Coupled")?.["message"]).toMatch(
      new RegExp(`apparatus of Socket ${world.prov}/s-lost is no longer in Secret .*${name}; change spec.epoch`),
    );
    expect(await bindingOf("p-lost")).toEqual({ a: "1" });
    await world.apply(world.plug("p-lost", { ...on("s-lost"), epoch: "again" }));
    await world.waitUntilCoupled("p-lost");
    expect(await bindingOf("p-lost")).toEqual({ a: "2" });
  });
});
