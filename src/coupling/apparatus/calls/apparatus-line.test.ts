import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { samplePair } from "../../kinds/sample-pair.fixture.ts";
import { ApparatusLines } from "./apparatus-line.ts";

const { socket } = samplePair();
const { signal } = new AbortController();
const call = { object: socket };

test("of 520 plugs on one apparatus that takes 32 calls at once, the first is through when at most 64 have begun", async () => {
  const lines = new ApparatusLines(() => socket, 32);
  let begun = 0;
  /** How many plugs had begun, each time that one was through. */
  const begunThen: number[] = [];
  async function couple(): Promise<void> {
    const ask = async (): Promise<void> => {
      begun += 1;
      await setImmediate(); // the apparatus answers
    };
    await lines.run(call, "config", ask, signal);
    await lines.run(call, "coupled", () => setImmediate(), signal);
    begunThen.push(begun);
  }
  await Promise.all(Array.from({ length: 520 }, couple));
  expect(begunThen[0]).toBeLessThanOrEqual(64);
  // All along: never more than two rounds have begun and are not through.
  expect(Math.max(...begunThen.map((count, through) => count - through))).toBeLessThanOrEqual(64);
});

test("a plug that is on its way waits for no config of another plug, and keeps its order among those on their way", async () => {
  const lines = new ApparatusLines(() => socket, 1);
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const order: string[] = [];
  const note = (name: string) => async () => void order.push(name);
  const calls = [
    lines.run(call, "config", () => held, signal),
    lines.run(call, "created", note("new"), signal),
    lines.run(call, "config", note("begun"), signal),
    lines.run(call, "coupled", note("first on its way"), signal),
    lines.run(call, "deleted", note("second on its way"), signal),
  ];
  end();
  await Promise.all(calls);
  expect(order).toEqual(["first on its way", "second on its way", "begun", "new"]);
});
