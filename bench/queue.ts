import { WorkQueue } from "#runtime";
import { FakeClock } from "../src/base/fake-clock.fixture.ts";
import { median } from "./measure.ts";

const sizes = [1_000, 100_000] as const;
const runs = 7;

/** What a key costs on its way through the queue, with few keys in it and with many: a scan anywhere would show. */
export async function measureQueue(): Promise<void> {
  const [few, many] = [await microsecondsPerKey(sizes[0]), await microsecondsPerKey(sizes[1])];
  console.log(`work queue, add, get and done of a key among ${sizes[0]}: ${few.toFixed(2)} µs (median of ${runs})`);
  console.log(`the same among ${sizes[1]}: ${many.toFixed(2)} µs, ratio ${(many / few).toFixed(2)}\n`);
}

async function microsecondsPerKey(size: number): Promise<number> {
  const keys = Array.from({ length: size }, (_, index) => `namespace/name-${index}`);
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const queue = new WorkQueue({ clock: new FakeClock(), random: Math.random });
    const begin = performance.now();
    for (const key of keys) queue.add(key, "background");
    for (const key of keys) queue.add(key, "live");
    for (let left = size; left > 0; left--) {
      const item = await queue.get();
      if (item) queue.done(item.key);
    }
    times.push(((performance.now() - begin) * 1000) / size);
  }
  return median(times);
}
