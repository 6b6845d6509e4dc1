import { expect, test } from "vitest";
import { FakeClock } from "../../../base/fake-clock.fixture.ts";
import { ApparatusRefusal } from "./judge-answer.ts";
import { Refusals } from "./refusals.ts";

const waiter = { uid: "u", redact: (text: string) => text, wake: () => {} };

function world() {
  const clock = new FakeClock();
  const refusals = new Refusals(clock);
  const asked: string[] = [];
  const ask = (
    id: string,
    error: Error = new ApparatusRefusal("no"),
    by: typeof waiter & { retry?: string } = waiter,
  ) =>
    refusals.run("plug stage", id, by, () => {
      asked.push(id);
      return Promise.reject(error);
    });
  return { clock, refusals, asked, ask };
}

test("a refused call is not repeated, and gives the same message", async () => {
  const { ask, asked } = world();
  await expect(ask("a")).rejects.toThrow("no");
  await expect(ask("a")).rejects.toThrow("no");
  expect(asked).toEqual(["a"]);
});

test.for([
  { reason: "something else is asked", again: ({ ask }: ReturnType<typeof world>) => ask("b") },
  {
    reason: "a plug asks for it",
    again: ({ ask }: ReturnType<typeof world>) => ask("a", undefined, { ...waiter, retry: "now" }),
  },
  {
    reason: "it is long ago",
    again: async ({ ask, clock }: ReturnType<typeof world>) => {
      await clock.advance(180_000);
      return await ask("a");
    },
  },
  {
    reason: "the plug is another one",
    again: ({ ask, refusals }: ReturnType<typeof world>) => {
      refusals.forget("u");
      return ask("a");
    },
  },
])("a refused call is repeated when $reason", async ({ again }) => {
  const one = world();
  await expect(one.ask("a")).rejects.toThrow("no");
  await expect(again(one)).rejects.toThrow("no");
  expect(one.asked).toHaveLength(2);
});

test("a call that failed without a refusal is repeated", async () => {
  const { ask, asked } = world();
  await expect(ask("a", new Error("broken"))).rejects.toThrow("broken");
  await expect(ask("a", new Error("broken"))).rejects.toThrow("broken");
  expect(asked).toEqual(["a", "a"]);
});
