import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createMetrics, type Metrics } from "#base";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import type { Priority } from "./ready-queue.ts";
import { runtimeMetrics } from "./runtime-metrics.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function makeQueue(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock, random: () => 0.5, ...options }) };
}

async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const item = await queue.get();
    if (!item) break;
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

async function samples(metrics: Metrics): Promise<string[]> {
  const { body } = await runtimeMetrics(metrics).expose();
  return body.split("\n").filter((line) => line.startsWith("workqueue_") && !line.includes("_bucket"));
}

describe("WorkQueue", () => {
  it("keeps a key once, and in the order of its first arrival", async () => {
    const { queue } = makeQueue();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(await takeAll(queue)).toEqual(["a", "b", "c"]);
  });

  it("hands out live keys before background keys, and moves a key up that becomes live", async () => {
    const { queue } = makeQueue();
    for (const key of ["a", "b", "c"]) queue.add(key, "background");
    queue.add("d");
    queue.add("c");
    expect(await takeAll(queue)).toEqual(["d", "c", "a", "b"]);
  });

  it("hands out resumed keys before live ones, so that what was begun ends before more is begun", async () => {
    const { queue } = makeQueue();
    for (const key of ["a", "b", "c", "d"]) queue.add(key);
    queue.add("e", "resumed");
    queue.add("c", "resumed");
    queue.add("e");
    expect(await takeAll(queue)).toEqual(["e", "c", "a", "b", "d"]);
  });

  it("hands out the keys of one group together, in the order of the groups' first keys, and takes a key out of its group", async () => {
    const { queue } = makeQueue({ groupOf: (key) => key.slice(0, 3) });
    for (const key of ["a/x1", "a/y1", "a/x2", "a/y2", "a/x3"]) queue.add(key);
    queue.add("a/x2", "resumed");
    expect(await takeAll(queue)).toEqual(["a/x2", "a/x1", "a/x3", "a/y1", "a/y2"]);
  });

  it("hands out at most 64 keys of a group in a row, and one key of each namespace in turn", async () => {
    const { queue } = makeQueue({ groupOf: (key) => key.slice(0, 3) });
    for (const key of ["a/x1", "a/x2"]) queue.add(key);
    for (let index = 0; index < 70; index++) queue.add(`a/y${index}`);
    queue.add("a/z0");
    expect((await takeAll(queue)).indexOf("a/z0")).toBe(2 + 64);
    for (const key of ["a/x1", "a/x2", "b/x1", "a/x3", "b/x2"]) queue.add(key);
    expect(await takeAll(queue)).toEqual(["a/x1", "b/x1", "a/x2", "b/x2", "a/x3"]);
  });

  it("keeps a waiting key in the group that it had when it was added", async () => {
    let group = "one";
    const { queue } = makeQueue({ groupOf: () => group });
    queue.add("a");
    queue.add("b");
    group = "another";
    queue.add("a", "resumed");
    queue.add("c");
    expect(await takeAll(queue)).toEqual(["a", "b", "c"]);
  });

  it("does not move a live key down", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    queue.add("b");
    queue.add("a", "background");
    expect(await queue.get()).toEqual({ key: "a", priority: "live" });
  });

  it("runs a key once more if it was added while it ran, and not before it is done", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("a", "background");
    queue.add("b");
    expect(await queue.get()).toMatchObject({ key: "b" });
    queue.done("a");
    expect(await queue.get()).toEqual({ key: "a", priority: "live" });
    queue.done("a");
    expect(queue.depth).toBe(0);
  });

  it("waits for the earliest of several delays", async () => {
    const { clock, queue } = makeQueue();
    queue.addAfter("a", 100);
    queue.addAfter("a", 30);
    queue.addAfter("a", 60);
    await clock.advance(29);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(["a"]);
    await clock.advance(1_000);
    expect(queue.depth).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("drops a delay when the key is added without one", async () => {
    const { clock, queue } = makeQueue();
    queue.addAfter("a", 100);
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    await clock.advance(200);
    expect(queue.depth).toBe(0);
  });

  it("keeps a delay that was added while the key ran", async () => {
    const { clock, queue } = makeQueue();
    queue.add("a");
    await queue.get();
    queue.addAfter("a", 100);
    queue.done("a");
    await clock.advance(100);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("waits longer after each failure, up to the cap, and starts over after a success", () => {
    const { queue } = makeQueue({ baseMs: 10, capMs: 100, random: () => 0 });
    expect(Array.from({ length: 6 }, () => queue.retry("a"))).toEqual([10, 20, 40, 50, 50, 50]);
    queue.forget("a");
    expect(queue.retry("a")).toBe(10);
    expect(queue.retry("b"), "each key for itself").toBe(10);
  });

  it("keeps its backoff finite however often a key fails", () => {
    const { queue } = makeQueue({ random: () => 1 });
    for (let failure = 0; failure < 2_000; failure++) queue.retry("a");
    expect(queue.retry("a")).toBe(5 * 60_000);
  });

  it("gives the next key to the worker that has waited longest", async () => {
    const { queue } = makeQueue();
    const [first, second] = [queue.get(), queue.get()];
    queue.add("a");
    queue.add("b");
    expect(await first).toMatchObject({ key: "a" });
    expect(await second).toMatchObject({ key: "b" });
  });

  it("forgets a worker that stops waiting, and loses no key", async () => {
    const { queue } = makeQueue();
    const controller = new AbortController();
    const waiting = queue.get(controller.signal);
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    await expect(queue.get(controller.signal)).rejects.toBe("enough");
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    const patient = new AbortController();
    const served = queue.get(patient.signal);
    queue.add("a");
    await served;
    expect(getEventListeners(patient.signal, "abort")).toEqual([]);
  });

  it("refuses done for a key that is not in progress", () => {
    const { queue } = makeQueue();
    queue.add("a");
    expect(() => queue.done("a")).toThrow("a is not in progress");
  });

  it.each([
    {
      mode: "drain",
      left: ["b", "a"],
      reason: "keys that were ready at the shutdown are still handed out, reruns included",
    },
    { mode: "drop", left: [], reason: "nothing is started any more" },
  ] as const)("shut down with $mode: $reason", async ({ mode, left }) => {
    const { clock, queue } = makeQueue();
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 10);
    queue.shutDown(mode);
    queue.add("d");
    queue.addAfter("e", 10);
    queue.retry("f");
    expect(clock.pending).toBe(0);
    const keys: string[] = [];
    const worker = (async () => {
      for (let item = await queue.get(); item; item = await queue.get()) {
        keys.push(item.key);
        queue.done(item.key);
      }
    })();
    await setImmediate();
    queue.done("a");
    await worker;
    expect(keys).toEqual(left);
    expect(queue.depth).toBe(0);
  });

  it("wakes all waiting workers when it is shut down", async () => {
    const { queue } = makeQueue();
    const waiting = [queue.get(), queue.get()];
    queue.shutDown("drain");
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await queue.get()).toBeUndefined();
  });

  it("keeps 100,000 keys in order, however often they are added", async () => {
    const { clock, queue } = makeQueue();
    const keys = Array.from({ length: 100_000 }, (_, nth) => `namespace/name-${nth}`);
    for (const [nth, key] of keys.entries()) queue.addAfter(key, 1 + ((nth * 7_919) % 1_000), "background");
    for (const [nth, key] of keys.entries()) queue.addAfter(key, 1 + ((nth * 104_729) % 500), "background");
    await clock.advance(250);
    for (const key of keys) queue.add(key, "background");
    for (const key of keys.toReversed()) queue.add(key);
    const taken = await takeAll(queue);
    expect(taken).toEqual(keys.toReversed());
  });
});

describe("the metrics of a queue", () => {
  it("carry client-go's names and count what client-go counts", async () => {
    const metrics = createMetrics();
    const { clock, queue } = makeQueue({ metrics: runtimeMetrics(metrics).queue("plugs"), baseMs: 4_000 });
    const add = (key: string, priority?: Priority) => queue.add(key, priority);
    add("a");
    add("a");
    add("b", "background");
    await clock.advance(2_000);
    await queue.get();
    add("a");
    await clock.advance(500);
    await queue.get();
    await clock.advance(1_000);
    queue.retry("b");
    expect(await samples(metrics)).toEqual([
      'workqueue_depth{name="plugs"} 1',
      'workqueue_adds_total{name="plugs"} 3',
      'workqueue_retries_total{name="plugs"} 1',
      'workqueue_queue_duration_seconds_sum{name="plugs"} 4.5',
      'workqueue_queue_duration_seconds_count{name="plugs"} 2',
      'workqueue_unfinished_work_seconds{name="plugs"} 2.5',
      'workqueue_longest_running_processor_seconds{name="plugs"} 1.5',
    ]);
    queue.done("a");
    queue.done("b");
    expect(await samples(metrics)).toContain('workqueue_work_duration_seconds_sum{name="plugs"} 2.5');
  });

  it("go back to zero when the queue ends", async () => {
    const metrics = createMetrics();
    const { clock, queue } = makeQueue({ metrics: runtimeMetrics(metrics).queue("plugs") });
    queue.add("a");
    queue.add("b");
    await queue.get();
    await clock.advance(1_000);
    queue.shutDown("drop");
    expect(await samples(metrics)).toContain('workqueue_longest_running_processor_seconds{name="plugs"} 1');
    queue.done("a");
    await clock.advance(1_000);
    expect(await samples(metrics)).toEqual(
      expect.arrayContaining([
        'workqueue_depth{name="plugs"} 0',
        'workqueue_unfinished_work_seconds{name="plugs"} 0',
        'workqueue_longest_running_processor_seconds{name="plugs"} 0',
      ]),
    );
  });

  it("are shared by the queues of a process", async () => {
    const metrics = createMetrics();
    for (const name of ["plugs", "sockets"]) makeQueue({ metrics: runtimeMetrics(metrics).queue(name) }).queue.add("a");
    expect(await samples(metrics)).toEqual(
      expect.arrayContaining(['workqueue_depth{name="plugs"} 1', 'workqueue_depth{name="sockets"} 1']),
    );
  });
});
