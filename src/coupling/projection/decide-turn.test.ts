import { expect, test } from "vitest";
import { decideTurn, patienceMs, type ProjectedWorkload } from "./decide-turn.ts";

const now = 1_000_000_000;
const ready = { is: "ready" } as const;
const pending = { is: "pending", missing: "0 of 1 replicas are ready" } as const;
const due = (name: string): ProjectedWorkload => ({ name, isMounted: false, health: ready, since: undefined });
const mounted = (name: string, health: ProjectedWorkload["health"], agoMs: number): ProjectedWorkload => ({
  name,
  isMounted: true,
  health,
  since: now - agoMs,
});

test.each([
  { reason: "nothing is due", workloads: [mounted("a", ready, 0)], next: undefined, restarting: undefined, waiting: 0 },
  {
    reason: "the first by name has its turn",
    workloads: [due("b"), due("a")],
    next: "a",
    restarting: undefined,
    waiting: 1,
  },
  {
    reason: "the next waits for the one that restarts",
    workloads: [mounted("a", pending, 1_000), due("b")],
    next: undefined,
    restarting: "a",
    waiting: 1,
  },
  {
    reason: "the next has its turn when the last one has restarted",
    workloads: [mounted("a", ready, 1_000), due("b")],
    next: "b",
    restarting: undefined,
    waiting: 0,
  },
  {
    reason: "a restart that does not end holds nothing up for ever",
    workloads: [mounted("a", pending, patienceMs), due("b")],
    next: "b",
    restarting: undefined,
    waiting: 0,
  },
  {
    reason: "a workload that fails long after its restart is not the binding's concern",
    workloads: [mounted("a", { is: "failed", why: "m" }, patienceMs)],
    next: undefined,
    restarting: undefined,
    waiting: 0,
  },
  {
    reason: "a workload that is due may be unready: it may lack the binding",
    workloads: [{ ...due("a"), health: pending }],
    next: "a",
    restarting: undefined,
    waiting: 0,
  },
])("one workload restarts at a time: $reason", ({ workloads, next, restarting, waiting }) => {
  const turn = decideTurn(workloads, now);
  expect({ next: turn.next?.name, restarting: turn.restarting?.name, waiting: turn.waiting }).toEqual({
    next,
    restarting,
    waiting,
  });
});

test("a restart is waited for until its patience ends", () => {
  expect(decideTurn([mounted("a", pending, 1_000)], now).restMs).toBe(patienceMs - 1_000);
});
