import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import type { GrownCall } from "./grown-calls.fixture.ts";

const minutes = 60_000;

/** Runs the calls in a thread of their own, which can be ended if one hangs. */
async function grownCalls(size: number): Promise<GrownCall[]> {
  const calls: GrownCall[] = [];
  let newest = "";
  const worker = new Worker(new URL("grown-calls.fixture.ts", import.meta.url), { workerData: { size } });
  worker.on("message", (message: GrownCall | string) => {
    if (typeof message === "string") newest = message;
    else calls.push(message);
  });
  const hangs = AbortSignal.timeout(9 * minutes);
  try {
    await once(worker, "exit", { signal: hangs });
  } catch (error) {
    throw new Error(`did not end: ${newest}`, { cause: error });
  } finally {
    await worker.terminate();
  }
  return calls;
}

/** They look at a map without visiting its keys one by one. */
const passKeysBy = new Set(
  `add add1 add1f addf ago all and any biggest ceil coalesce date dateInZone date_in_zone deepEqual default dict duration
   durationRound empty float64 floor get hasKey htmlDate htmlDateInZone index int int64 kindIs kindOf len list max maxf
   merge min minf mul mulf not or pick pluck required round set sub subf ternary tpl tuple typeIs typeIsLike typeOf
   unset urlJoin`.split(/\s+/),
);

/** Large enough that work in the square of it, if it is not charged, takes longer than the test may. */
const size = 200_000;

test("every template function is charged for the size of its arguments, or refuses them", async () => {
  const calls = await grownCalls(size);
  expect(new Set(calls.map(({ name }) => name)).size).toBeGreaterThan(200);
  const uncharged = calls.filter(
    (call) =>
      call.problem === undefined &&
      call.steps < call.size / 1_024 &&
      !(call.shape === "map" && passKeysBy.has(call.name)),
  );
  expect(uncharged).toEqual([]);
});
