import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { fc } from "#seeded";
import { describeError } from "./describe-error.ts";
import { Semaphore } from "./semaphore.ts";

/** A task that ends when the test ends it. */
function heldTask() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { run: vi.fn<() => Promise<void>>(() => promise), end: resolve };
}

describe("Semaphore", () => {
  it("gives back what the task gives", async () => {
    const semaphore = new Semaphore(1);
    expect(await semaphore.run(() => "at once")).toBe("at once");
    expect(await semaphore.run(() => Promise.resolve("later"))).toBe("later");
  });

  it.each([
    {
      reason: "throws",
      fail: () => {
        throw new Error("odd");
      },
    },
    { reason: "rejects", fail: () => Promise.reject(new Error("odd")) },
  ])("is free again when a task $reason", async ({ fail }) => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(fail)).rejects.toThrow("odd");
    expect(await semaphore.run(() => "next")).toBe("next");
  });

  it("lets a task of a higher rank go before those that waited longer, and keeps the order of each rank", async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    const held = heldTask();
    const running = semaphore.run(held.run);
    const begun = ["a", "b"].map((name) => semaphore.run(() => void order.push(name)));
    const later = ["c", "d"].map((name) => semaphore.run(() => void order.push(name), undefined, 2));
    const between = semaphore.run(() => void order.push("e"), undefined, 1);
    held.end();
    await Promise.all([running, ...begun, ...later, between]);
    expect(order).toEqual(["c", "d", "e", "a", "b"]);
  });

  it("does not let a new task overtake waiting ones", async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    const first = semaphore.run(() => void order.push("first"));
    const second = semaphore.run(() => void order.push("second"));
    const newcomer = first.then(() => semaphore.run(() => void order.push("newcomer")));
    await Promise.all([second, newcomer]);
    expect(order).toEqual(["first", "second", "newcomer"]);
  });

  it("forgets a task that stops waiting, and keeps the order of the others", async () => {
    const semaphore = new Semaphore(1);
    const [holder, quitter, patient] = [heldTask(), heldTask(), heldTask()];
    const controller = new AbortController();
    void semaphore.run(holder.run);
    const quitting = semaphore.run(quitter.run, controller.signal);
    const waiting = semaphore.run(patient.run);
    patient.end();

    controller.abort("changed my mind");
    await expect(quitting).rejects.toBe("changed my mind");
    expect(patient.run).not.toHaveBeenCalled();
    holder.end();
    await waiting;
    expect(quitter.run).not.toHaveBeenCalled();
  });

  it("does not make a task wait whose signal is aborted already", async () => {
    const semaphore = new Semaphore(1);
    void semaphore.run(heldTask().run);
    await expect(semaphore.run(heldTask().run, AbortSignal.abort("too late"))).rejects.toBe("too late");
  });

  it("does not start a task whose signal is aborted when its turn has just come", async () => {
    const semaphore = new Semaphore(1);
    const controller = new AbortController();
    const task = vi.fn<() => void>();
    const holder = semaphore.run(() => {
      queueMicrotask(() => queueMicrotask(() => controller.abort("in between")));
    });
    const late = semaphore.run(task, controller.signal);
    await expect(late).rejects.toBe("in between");
    await holder;
    expect(task).not.toHaveBeenCalled();
    expect(await semaphore.run(() => "free")).toBe("free");
  });

  it("leaves a running task and its signal alone", async () => {
    const semaphore = new Semaphore(1);
    const controller = new AbortController();
    const [holder, task] = [heldTask(), heldTask()];
    void semaphore.run(holder.run);
    const running = semaphore.run(task.run, controller.signal);
    holder.end();
    await setImmediate();
    expect(task.run).toHaveBeenCalledOnce();
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    task.end();
    await expect(running).resolves.toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a limit of %d", (limit) => {
    expect(() => new Semaphore(limit)).toThrow(RangeError);
  });

  it("runs every task that did not give up, in order, never more than the limit at once", async () => {
    const anyTask = fc.record({ turns: fc.nat(5), fails: fc.boolean(), patience: fc.option(fc.nat(20)) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(anyTask, { maxLength: 25 }), async (limit, tasks) => {
        const semaphore = new Semaphore(limit);
        const started: number[] = [];
        let running = 0;
        let most = 0;
        const outcomes = await Promise.all(
          tasks.map(async ({ turns, fails, patience }, index) => {
            const controller = new AbortController();
            const run = semaphore.run(async () => {
              started.push(index);
              most = Math.max(most, ++running);
              await microtasks(turns);
              running--;
              if (fails) throw new Error("failed");
              return "done";
            }, controller.signal);
            if (patience !== null) void microtasks(patience).then(() => controller.abort("gave up"));
            return run.catch(describeError);
          }),
        );

        expect(most).toBeLessThanOrEqual(limit);
        expect(started).toEqual(started.toSorted((a, b) => a - b));
        tasks.forEach(({ fails, patience }, index) => {
          const ran = fails ? "failed" : "done";
          expect(patience === null || started.includes(index) ? ran : "gave up").toBe(outcomes[index]);
        });
        await expectAllPlacesFree(semaphore, limit);
      }),
    );
  });
});

async function microtasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

async function expectAllPlacesFree(semaphore: Semaphore, limit: number): Promise<void> {
  const tasks = Array.from({ length: limit + 1 }, heldTask);
  const runs = tasks.map(({ run }) => semaphore.run(run));
  await setImmediate();
  expect(tasks.filter(({ run }) => run.mock.calls.length > 0)).toHaveLength(limit);
  for (const { end } of tasks) end();
  await Promise.all(runs);
}
