import { expect, test } from "vitest";
import { silentLogger } from "#base";
import type { WatchEvent, WatchOptions } from "#kube";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { InputWatch } from "./input-watches.ts";

type Watch = (options: WatchOptions, signal: AbortSignal) => AsyncIterable<WatchEvent>;

/** An object that is watched at a server which does each time as the next of `watches` does, and in the end as the last. */
function watch(...watches: readonly Watch[]) {
  const clock = new FakeClock();
  const opened: WatchOptions[] = [];
  const woken: string[] = [];
  const watched = new InputWatch({
    ref: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      namespace: "app",
      name: "d",
    },
    client: {
      watch(_selection, options, signal) {
        opened.push(options);
        const next = watches[opened.length - 1] ?? watches.at(-1);
        if (!next) throw new Error("nothing is to be watched");
        return next(options, signal);
      },
    },
    mayWatch: true,
    wake: (key) => woken.push(key),
    clock,
    random: () => 0.5,
    log: silentLogger,
  });
  watched.readers.add("app/p");
  return { clock, opened, woken, watched, [Symbol.dispose]: () => watched[Symbol.dispose]() };
}

const added = (resourceVersion: string): WatchEvent => ({
  type: "ADDED",
  object: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", namespace: "app", resourceVersion } },
});
const bookmark = (resourceVersion: string): WatchEvent => ({
  type: "BOOKMARK",
  resourceVersion,
  isInitialEventsEnd: false,
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const says = (...events: readonly WatchEvent[]): Watch =>
  async function* (_options, signal) {
    yield* events;
    await untilAborted(signal);
  };

test("a server that ends each watch at once gets fewer and fewer requests, and no plug is woken for it", async () => {
  const endsAtOnce: Watch = async function* () {
    yield* [];
    await clock.sleep(2);
  };
  using watching = watch(async function* () {
    yield added("7");
    await clock.sleep(2);
  }, endsAtOnce);
  const { clock, opened, woken } = watching;
  await clock.advance(60_000);
  expect(opened.length).toBeLessThan(8);
  expect(opened.slice(1).map(({ resourceVersion }) => resourceVersion)).toEqual(opened.slice(1).map(() => "7"));
  expect(woken).toEqual(["app/p"]);
  await clock.advance(3600_000);
  expect(opened.length).toBeLessThan(70);
});

test("a watch that lasted is opened again at once, from where it ended", async () => {
  using watching = watch(async function* () {
    yield added("7");
    yield bookmark("9");
    await clock.sleep(5_000);
  }, says());
  const { clock, opened } = watching;
  await clock.advance(5_000);
  expect(opened.map(({ resourceVersion }) => resourceVersion)).toEqual([undefined, "9"]);
});

test("a watch ends within minutes, each at its own time", async () => {
  using watching = watch(says());
  await watching.clock.advance(0);
  expect(watching.opened).toMatchObject([{ timeoutSeconds: 450 }]);
});

test("a silent watch is given up, and its readers are woken", async () => {
  using watching = watch(says(added("7"), bookmark("8")), says(added("9")));
  const { clock, opened, woken } = watching;
  await clock.advance(89_000);
  expect([opened.length, woken.length]).toEqual([1, 1]);
  await clock.advance(3_000);
  expect([opened.length, woken.length]).toEqual([2, 2]);
  expect(opened[1]?.resourceVersion).toBeUndefined();
});

test("a deletion between two watches is noticed", async () => {
  using watching = watch(says(added("7")), says(bookmark("9"), bookmark("10")));
  const { clock, opened, woken } = watching;
  await clock.advance(92_000);
  expect([opened.length, woken.length]).toEqual([2, 2]);
});

test("a disposed watch leaves no timer", async () => {
  const { clock, watched } = watch(says(added("7")));
  await clock.advance(1_000);
  watched[Symbol.dispose]();
  await clock.advance(0);
  expect(clock.pending).toBe(0);
});
