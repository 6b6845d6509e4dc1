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
