import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { fc } from "#seeded";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import type { Priority } from "./ready-queue.ts";
import { WorkQueue } from "./work-queue.ts";

const liveBurst = 3;
const baseMs = 5;
const capMs = 1_000;

interface KeyRequest {
  readonly key: string;
  readonly priority: Priority;
}

/** What the queue promises, written with lists that are searched from end to end. */
class Model {
  ready: KeyRequest[] = [];
  later: (KeyRequest & { readonly due: number })[] = [];
  readonly running = new Set<string>();
  readonly addedAgain = new Map<string, Priority>();
  readonly taken: string[] = [];
  readonly failures = new Map<string, number>();
  readonly turns: Record<Priority, (string | undefined)[]> = { resumed: [], live: [], background: [] };
  waiting = 0;
  livePassed = 0;

  add({ key, priority }: KeyRequest): void {
    const planned = this.later.find((request) => request.key === key);
    this.later = this.later.filter((request) => request !== planned);
    const queued = this.ready.find((request) => request.key === key);
    const request = { key, priority: higher(priority, planned?.priority) };
    if (this.running.has(key)) {
      this.addedAgain.set(key, higher(request.priority, this.addedAgain.get(key)));
    } else if (!queued || (queued.priority === "background" && request.priority === "live")) {
      this.ready = [...this.ready.filter((other) => other !== queued), request];
      this.meetTurns();
    }
    this.serve();
  }

  addAt({ key, priority }: KeyRequest, due: number): void {
    const queued = this.ready.find((request) => request.key === key);
    if (queued || this.addedAgain.has(key)) {
      if (priority === "live") this.add({ key, priority });
      return;
    }
    const planned = this.later.find((request) => request.key === key);
    const request = { key, priority: higher(priority, planned?.priority) };
    if (planned && planned.due <= due) {
      this.later = this.later.map((each) => (each === planned ? { ...request, due: planned.due } : each));
    } else {
      this.later = [...this.later.filter((each) => each !== planned), { ...request, due }];
    }
  }

  done(key: string): void {
    this.running.delete(key);
    const again = this.addedAgain.get(key);
    this.addedAgain.delete(key);
    if (again) this.add({ key, priority: again });
  }

  serve(): void {
    while (this.waiting > 0 && this.ready.length > 0) {
      const live = this.first("live");
      const background = this.first("background");
      const next = background && (!live || this.livePassed >= liveBurst) ? background : live;
      if (!next) return;
      this.livePassed = background && next === live ? this.livePassed + 1 : 0;
      this.ready = this.ready.filter((request) => request !== next);
      this.turns[next.priority].shift();
      this.meetTurns();
      this.running.add(next.key);
      this.taken.push(next.key);
      this.waiting--;
    }
  }

  first(priority: Priority): KeyRequest | undefined {
    const [turn] = this.turns[priority];
    return this.ready.find((request) => request.priority === priority && namespaceOf(request.key) === turn);
  }

  /** A namespace without waiting keys loses its turn; a new one gets the last turn. */
  meetTurns(): void {
    for (const priority of ["live", "background"] as const) {
      const present = new Set(
        this.ready.filter((request) => request.priority === priority).map(({ key }) => namespaceOf(key)),
      );
      const kept = this.turns[priority].filter((name) => present.has(name));
      this.turns[priority] = [...new Set([...kept, ...present])];
    }
  }
}

function namespaceOf(key: string): string | undefined {
  return key.includes("/") ? key.split("/")[0] : "none";
}

function higher(one: Priority, other: Priority | undefined): Priority {
  return other === "live" ? "live" : one;
}

interface Real {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  readonly taken: string[];
  readonly running: Set<string>;
}

function openReal(random: () => number): Real {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, random, baseMs, capMs, liveBurst });
  return { clock, queue, taken: [], running: new Set() };
}

async function take({ queue, running, taken }: Real): Promise<void> {
  const item = await queue.get();
  if (!item) throw new Error("the queue has ended");
  expect(running, "never two workers on one key").not.toContain(item.key);
  running.add(item.key);
  taken.push(item.key);
}

function expectWithin(ms: number, shortest: number, longest: number): void {
  expect(ms).toBeGreaterThanOrEqual(shortest);
  expect(ms).toBeLessThanOrEqual(longest);
}

type Command = fc.AsyncCommand<Model, Real>;

function command(name: string, run: (model: Model, real: Real) => void | Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      await setImmediate();
      expect(real.taken).toEqual(model.taken);
      expect(new Set(real.queue.running().map(({ key }) => key))).toEqual(model.running);
      expect(real.queue.depth).toBe(model.ready.length + model.addedAgain.size);
    },
    toString: () => name,
  };
}

const key = fc.constantFrom("a", "b", "one/c", "one/d", "one/e", "two/d", "two/f");
const priority = fc.constantFrom<Priority[]>("live", "background");

const commands = [
  fc.record({ key, priority }).map((request) =>
    command(`add ${request.key} ${request.priority}`, (model, real) => {
      model.add(request);
      real.queue.add(request.key, request.priority);
    }),
  ),
  fc.record({ key, priority, ms: fc.integer({ min: -1, max: 50 }) }).map(({ ms, ...request }) =>
    command(`add ${request.key} ${request.priority} after ${ms} ms`, (model, real) => {
      if (ms <= 0) model.add(request);
      else model.addAt(request, real.clock.monotonic() + ms);
      real.queue.addAfter(request.key, ms, request.priority);
    }),
  ),
  fc.record({ key, priority }).map((request) =>
    command(`retry ${request.key} ${request.priority}`, (model, real) => {
      const ms = real.queue.retry(request.key, request.priority);
      const failures = (model.failures.get(request.key) ?? 0) + 1;
      const longest = Math.min(capMs, baseMs * 2 ** failures);
      expectWithin(ms, Math.max(baseMs, longest / 2), longest);
      model.failures.set(request.key, failures);
      model.addAt(request, real.clock.monotonic() + ms);
    }),
  ),
  key.map((each) =>
    command(`forget ${each}`, (model, real) => {
      model.failures.delete(each);
      real.queue.forget(each);
    }),
  ),
  fc.constant(
    command("get", (model, real) => {
      model.waiting++;
      model.serve();
      void take(real);
    }),
  ),
  fc.nat(9).map((nth) =>
    command(`done ${nth}`, (model, real) => {
      const running = [...model.running];
      const each = running[nth % running.length];
      if (each === undefined) return;
      model.done(each);
      real.running.delete(each);
      real.queue.done(each);
    }),
  ),
  fc.integer({ min: 1, max: 60 }).map((ms) =>
    command(`advance ${ms} ms`, async (model, real) => {
      const end = real.clock.monotonic() + ms;
      await real.clock.advance(ms);
      const due = model.later.filter((request) => request.due <= end).toSorted((one, other) => one.due - other.due);
      for (const request of due) model.add(request);
    }),
  ),
];

it("does what its model does: no key lost, doubled, run by two, run too early, or out of order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(commands, { maxCommands: 100, size: "max" }),
      fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 7 }),
      async (program, chances) => {
        let drawn = 0;
        const random = () => chances[drawn++ % chances.length] ?? 0;
        const [model, real] = [new Model(), openReal(random)];
        await fc.asyncModelRun(() => ({ model, real }), program);
        expect(real.taken).toEqual(model.taken);
      },
    ),
    { numRuns: 150 },
  );
});

it("never loses a key: each added key is run after it was added, by any number of workers", async () => {
  const request = fc.record({
    key,
    priority,
    after: fc.integer({ min: 0, max: 100 }),
    at: fc.integer({ min: 0, max: 200 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(30),
      async (requests, workers, workMs) => {
        const clock = new FakeClock();
        const queue = new WorkQueue({ clock, random: () => 0.5 });
        const starts: { key: string; at: number }[] = [];
        const running = new Set<string>();
        const ended = Array.from({ length: workers }, async () => {
          for (let item = await queue.get(); item; item = await queue.get()) {
            expect(running).not.toContain(item.key);
            running.add(item.key);
            starts.push({ key: item.key, at: clock.monotonic() });
            await clock.sleep(workMs);
            running.delete(item.key);
            queue.done(item.key);
          }
        });
        for (const { key: each, priority: level, after, at } of requests) {
          clock.after(at, () => queue.addAfter(each, after, level));
        }
        await clock.advance(requests.length * (workMs + 1) + 400);
        queue.shutDown("drain");
        await Promise.all(ended);
        for (const { key: each, at } of requests) {
          expect(starts.some((start) => start.key === each && start.at >= at)).toBe(true);
        }
        expect(starts.length).toBeLessThanOrEqual(requests.length);
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

it("is fair: at most liveBurst live keys in a row overtake a background key, however many come", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 5 }), async (burst, waiting) => {
      const queue = new WorkQueue({ clock: new FakeClock(), random: () => 0, liveBurst: burst });
      for (let nth = 0; nth < waiting; nth++) queue.add(`background-${nth}`, "background");
      const order: string[] = [];
      for (let nth = 0; nth < waiting * (burst + 1); nth++) {
        queue.add(`live-${nth}`);
        queue.add(`live-${nth}-more`);
        const item = await queue.get();
        if (!item) throw new Error("the queue has ended");
        order.push(item.key);
        queue.done(item.key);
      }
      const places = Array.from({ length: waiting }, (_, nth) => order.indexOf(`background-${nth}`));
      expect(places).toEqual(Array.from({ length: waiting }, (_, nth) => (nth + 1) * (burst + 1) - 1));
    }),
  );
});

it("gives each namespace its turn: at most one key of each other namespace overtakes a key, however many wait", async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(lengths, priority, async (others, level) => {
      const queue = new WorkQueue({ clock: new FakeClock(), random: () => 0 });
      for (const [nth, length] of others.entries()) {
        for (let each = 0; each < length; each++) queue.add(`tenant-${nth}/${each}`, level);
      }
      queue.add("neighbour/only", level);
      const passing: (string | undefined)[] = [];
      for (let item = await queue.get(); item && item.key !== "neighbour/only"; item = await queue.get()) {
        passing.push(namespaceOf(item.key));
        queue.done(item.key);
      }
      expect(passing).toEqual(others.map((_, nth) => `tenant-${nth}`));
    }),
  );
});
