import { expect, test } from "vitest";
import { useCoupling } from "#harness";
import { conditionOf } from "./read-conditions.ts";

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
const world = useCoupling({ apparatus, mayWrite: () => isLeader });

/** A plug is on its way to a socket, which is deleted meanwhile. */
async function deleteMeanwhile(name: string): Promise<void> {
  [answer, isAsked] = [Promise.withResolvers(), Promise.withResolvers()];
  const spec = { apparatus: { endpoint: "http://nobody.example", containers: [] } };
  await world.apply(world.socket(name, {}), world.plug(name, { ...spec, socket: { name, namespace: world.prov } }));
  await isAsked.promise;
  await world.client.delete(world.ref("Socket", name), {});
  await world.until(
    world.ref("Socket", name),
    (socket) => conditionOf(socket, "Coupled")?.["reason"] === "SocketDeleting",
  );
}

const failed = (plug: string) => world.lines.some((line) => line.includes("plug failed") && line.includes(plug));

test("a socket that waits for a plug's first attempt goes when that fails", async () => {
  await deleteMeanwhile("fails");
  answer.reject(new Error("refused"));
  await world.untilGone(world.ref("Socket", "fails"));
  expect(failed("fails")).toBe(true);
});

test("a socket that waits for a plug's first attempt goes when that could not be written down", async () => {
  await deleteMeanwhile("unwritten");
  isLeader = false;
  answer.resolve(undefined);
  await expect.poll(() => failed("unwritten"), { timeout: 20_000 }).toBe(true);
  isLeader = true;
  await world.untilGone(world.ref("Socket", "unwritten"));
  await world.untilReason("unwritten", "SocketNotCreated");
});
