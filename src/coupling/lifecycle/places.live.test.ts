import { expect, test } from "vitest";
import { useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

let answer = Promise.withResolvers<undefined>();
let isAsked = Promise.withResolvers<void>();
let isLeader = true;
const apparatus = {
  call: async () => undefined,
  config: async () => {
    isAsked.resolve();
    return await answer.promise;
  },
  forget: () => {},
};
const asks = { apparatus: { endpoint: "http://nobody.example", containers: [] } };
const world = useCoupling({ apparatus, mayWrite: () => isLeader });

/** A plug is on its way to a socket, which is deleted meanwhile. */
async function deleteMeanwhile(name: string): Promise<void> {
  [answer, isAsked] = [Promise.withResolvers(), Promise.withResolvers()];
  await world.apply(world.socket(name, {}), world.plug(name, { ...asks, socket: { name, namespace: world.prov } }));
  await isAsked.promise;
  await world.client.delete(world.ref("Socket", name), {});
  await world.waitFor(
    world.ref("Socket", name),
    (socket) => conditionOf(socket, "Coupled")?.["reason"] === "SocketDeleting",
  );
}

const failed = (plug: string) => world.lines.some((line) => line.includes("plug failed") && line.includes(plug));

test("a socket that waits for a plug's first attempt is deleted when that fails", async () => {
  await deleteMeanwhile("fails");
  answer.reject(new Error("refused"));
  await world.waitUntilDeleted(world.ref("Socket", "fails"));
  expect(failed("fails")).toBe(true);
});

test("a socket that waits for a plug's first attempt is deleted when that could not be saved", async () => {
  await deleteMeanwhile("unwritten");
  isLeader = false;
  answer.resolve(undefined);
  await expect.poll(() => failed("unwritten")).toBe(true);
  isLeader = true;
  await world.waitUntilDeleted(world.ref("Socket", "unwritten"));
  await world.waitForReason("unwritten", "SocketNotCreated");
});

test("a plug that moves, fails and moves back occupies no place in between", async () => {
  [answer, isAsked] = [Promise.withResolvers(), Promise.withResolvers()];
  const on = (name: string) => world.plug("moves", { ...asks, socket: { name, namespace: world.prov } });
  answer.resolve(undefined);
  await world.apply(world.socket("home", {}), world.socket("away", { limit: 1 }), on("home"));
  await world.waitUntilCoupled("moves");
  const refusal = Promise.withResolvers<undefined>();
  [answer, isAsked] = [refusal, Promise.withResolvers()];
  await world.apply(on("away"));
  await isAsked.promise;
  await world.apply(on("home"));
  answer = Promise.withResolvers();
  answer.resolve(undefined);
  refusal.reject(new Error("refused"));
  await world.waitUntilCoupled("moves");
  expect(failed("moves")).toBe(true);
  await world.apply(world.plug("comes", { socket: { name: "away", namespace: world.prov } }));
  await world.waitUntilCoupled("comes");
});

test("plugs of one socket are coupled one after the other, so that few writes list them", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `row${index}`);
  const sockets = ["even", "odd"];
  await world.apply(...sockets.map((name) => world.socket(name, {})));
  await world.settle();
  await world.stop();
  for (const [index, name] of names.entries()) {
    await world.apply(world.plug(name, { socket: { name: sockets[index % 2], namespace: world.prov } }));
  }
  const before = world.calls.length;
  await world.restart({ concurrency: 1 });
  for (const name of names) await world.waitUntilCoupled(name);
  const begun = world.calls.slice(before).flatMap((call) => /^PATCH .*\/plugs\/row(\d)$/.exec(call)?.[1] ?? []);
  expect(begun.map((index) => Number(index) % 2)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
});
