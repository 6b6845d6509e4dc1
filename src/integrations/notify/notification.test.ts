import { describe, expect, test } from "vitest";
import { Secret } from "#base";
import { type ActionOutcome, type Plan, type PlanError, type PlanRefusal } from "#inventory";
import type { ManagedRun } from "../manage/managed-run.ts";
import { type KnownProblems, noProblems, notificationsOf } from "./notification.ts";

const context = { at: new Date(0), by: "me@here", location: "repo#main" };
const object = { cluster: "c1", namespace: "n1", apiVersion: "apps/v1", kind: "Deployment", name: "a" };
const failed: ActionOutcome = {
  ...object,
  action: "update",
  state: "failed",
  reason: "no quota",
  privileged: false,
  calls: [],
};
const done: ActionOutcome = { ...object, action: "update", state: "done", privileged: false, calls: [] };
const held: PlanRefusal = { ...object, action: "delete", reason: "suspended: why", next: "resume", isError: false };
const broken: PlanError = { cluster: "c1", namespace: "n2", attribution: "b", what: "b.yml:3: bad" };

function planOf(more: Partial<Plan>): Plan {
  const action = { ...object, action: "update", reason: "changed", diff: [], attribution: "a" } as const;
  const identity = { integration: "integrations-manager", integrationVersion: "0.1.0" };
  return { version: 1, id: "p1", ...identity, actions: [action], refusals: [], errors: [], unchanged: 0, ...more };
}

function run(more: Partial<ManagedRun> & { readonly planned?: Partial<Plan> } = {}): ManagedRun {
  const { planned = {}, ...rest } = more;
  const data = { identity: "b", commit: "c0ffee" };
  return {
    why: "data",
    isSuccess: true,
    outcomes: [],
    waiting: [],
    isDryRun: false,
    seconds: 1,
    data,
    plan: planOf(planned),
    ...rest,
  };
}

/** Events and states of runs one after the other. */
function told(...runs: readonly ManagedRun[]): string[][] {
  let known: KnownProblems = noProblems;
  return runs.map((one) => {
    const outcome = notificationsOf(one, known, context);
    known = outcome.known;
    return outcome.notifications.map(({ event, state, problems }) => [event, state, problems.length].join(" "));
  });
}

describe("a run that changed something", () => {
  test("says what it did, from which data, by whom", () => {
    const { notifications } = notificationsOf(run({ outcomes: [done] }), noProblems, context);
    expect(notifications).toEqual([
      {
        version: 1,
        event: "applied",
        text: "tenon: 1 updated (a)",
        at: "1970-01-01T00:00:00.000Z",
        by: "me@here",
        why: "data",
        data: { location: "repo#main", bundle: "b", commit: "c0ffee" },
        plan: "p1",
        changes: [
          { action: "update", cluster: "c1", namespace: "n1", kind: "Deployment", name: "a", integration: "a" },
        ],
        problems: [],
      },
    ]);
  });

  test("is sent each time, and one that did nothing or was a dry run is not", () => {
    const applied = run({ outcomes: [done] });
    expect(told(applied, applied, run(), run({ outcomes: [done], isDryRun: true }))).toEqual([
      ["applied  0"],
      ["applied  0"],
      [],
      [],
    ]);
  });

  test("lists 100 changes, and counts the rest", () => {
    const outcomes = Array.from({ length: 130 }, (_, index) => ({ ...done, name: `a-${index}` }));
    const [notification] = notificationsOf(run({ outcomes }), noProblems, context).notifications;
    expect(notification?.changes).toHaveLength(100);
    expect(notification?.omitted).toBe(30);
  });
});

describe("a failure", () => {
  const failing = run({ outcomes: [failed], isSuccess: false });

  test("is sent once while it goes on, then when it changes, and when it ends", () => {
    const other = run({ outcomes: [{ ...failed, reason: "no room" }], isSuccess: false });
    const more = run({ outcomes: [failed], planned: { errors: [broken] }, isSuccess: false });
    expect(told(failing, failing, other, more, run(), run())).toEqual([
      ["failed started 1"],
      [],
      ["failed changed 1"],
      ["failed changed 2"],
      ["failed ended 0"],
      [],
    ]);
  });

  test("is the same one if only numbers of its message differ", () => {
    const later = run({ outcomes: [{ ...failed, reason: "no answer after 10013 ms" }], isSuccess: false });
    const earlier = run({ outcomes: [{ ...failed, reason: "no answer after 10002 ms" }], isSuccess: false });
    expect(told(earlier, later)).toEqual([["failed started 1"], []]);
  });

  test("in one namespace goes on while only another one is looked at", () => {
    const elsewhere = run({ why: "c1/n2" });
    expect(told(failing, elsewhere, run({ why: "c1/n1" }))).toEqual([["failed started 1"], [], ["failed ended 0"]]);
  });

  test("of the data ends when the data can be read again, and all others go on", () => {
    const unreadable = run({ plan: undefined, error: "no such repository", isSuccess: false });
    const unchanged = run({ plan: undefined });
    expect(told(failing, unreadable, unreadable, unchanged, unchanged)).toEqual([
      ["failed started 1"],
      ["failed changed 2"],
      [],
      ["failed changed 1"],
      [],
    ]);
  });

  test("is a sentence that names the object and the reason, without secrets", () => {
    const secret = new Secret("hunter2hunter2");
    const leaky = run({ outcomes: [{ ...failed, reason: `bad token ${secret.reveal()}` }], isSuccess: false });
    const [notification] = notificationsOf(leaky, noProblems, context).notifications;
    expect(notification?.text).toBe("tenon: 1 failed: c1/n1 Deployment a: update: bad token ***");
  });
});

test("actions that are held back are sent once, and again when they no longer are", () => {
  const suspended = run({ planned: { actions: [], refusals: [held] } });
  expect(told(suspended, suspended, run())).toEqual([["heldBack started 1"], [], ["heldBack ended 0"]]);
});
