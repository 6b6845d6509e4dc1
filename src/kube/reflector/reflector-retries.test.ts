import { describe, expect, test } from "vitest";
import { createLogger } from "#base";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { ApiError } from "../transport/api-error.ts";
import { brokenConnection, expiredVersion, startReflector } from "./scripted-reflector.fixture.ts";
import {
  added,
  bookmark,
  deleted,
  endsAfter,
  failsAfter,
  modified,
  page,
  ScriptedSource,
  silent,
  silentAfter,
} from "./scripted-source.fixture.ts";

const synced = () => new ScriptedSource().onWatch(endsAfter(added("a", 1), bookmark(4, true)));

describe("a reflector resumes its watch", () => {
  test("resumes at once from the same position when the server ends the watch, as it does every few minutes", async () => {
    const source = synced()
      .onWatch(endsAfter(modified("a", 5)))
      .onWatch(endsAfter(bookmark(9)));
    await using world = await startReflector(source);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch 5", "watch 9"]);
    expect(source.timeouts).toEqual([300, 300, 300, 300]);
    expect(world.clock.monotonic()).toBe(0);
    expect(world.reflector.problem).toBeUndefined();
  });

  test("resumes from the same position after a failure, with pauses that grow to 30 s and reset after a healthy time", async () => {
    const clock = new FakeClock();
    const source = synced();
    for (let failure = 0; failure < 8; failure++) source.onWatch(failsAfter(brokenConnection()));
    source.onWatch(async function* (signal) {
      await clock.sleep(10_000, signal);
      yield* failsAfter(brokenConnection())(signal);
    });
    await using world = await startReflector(source, { random: () => 1 }, clock);
    const pauses: number[] = [];
    for (let before = source.calls.length, waited = 0; pauses.length < 9; waited += 500) {
      await world.clock.advance(500);
      if (source.calls.length === before) continue;
      pauses.push(waited + 500);
      before = source.calls.length;
      waited = -500;
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 10_000 + 1_000]);
    expect(new Set(source.calls.slice(1))).toEqual(new Set(["watch 4"]));
  });

  test("resumes after the Retry-After of a busy server", async () => {
    const busy = new ApiError("too many requests", { status: 429, reason: "TooManyRequests", retryAfterMs: 7_000 });
    const source = synced().onWatch(failsAfter(busy));
    await using world = await startReflector(source);
    await world.clock.advance(6_999);
    expect(source.calls).toHaveLength(2);
    await world.clock.advance(1);
    expect(source.calls).toHaveLength(3);
  });

  test("pauses when the server ends the watch at once without an event", async () => {
    const source = synced().onWatch(endsAfter()).onWatch(endsAfter());
    await using world = await startReflector(source);
    await world.clock.advance(499);
    expect(source.calls).toEqual(["watch initial", "watch 4"]);
    await world.clock.advance(1);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch 4"]);
  });

  test("resumes at once after 90 s of silence, and any event ends the silence", async () => {
    const clock = new FakeClock();
    const source = synced().onWatch(async function* (signal) {
      for (const version of [5, 6, 7]) {
        await clock.sleep(60_000, signal);
        yield bookmark(version);
      }
      yield* silent(signal);
    });
    await using world = await startReflector(source, {}, clock);
    await world.clock.advance(3 * 60_000 + 89_999);
    expect(source.calls).toEqual(["watch initial", "watch 4"]);
    await world.clock.advance(1);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch 7"]);
  });

  test("a cluster on which nothing happens is not a problem: its watches are opened again without a warning", async () => {
    const source = synced();
    for (let silence = 1; silence <= 20; silence += 1) {
      source.onWatch(silent);
      if (silence > 1) source.onList(page(4));
    }
    const lines: string[] = [];
    const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
    await using world = await startReflector(source, { log });
    await world.clock.advance(20 * 90_000);
    expect(source.calls.filter((call) => call === "watch 4").length).toBeGreaterThan(15);
    expect({ problem: world.reflector.problem, lines }).toEqual({ problem: undefined, lines: [] });
  });

  test("names the problem when the server no longer answers at all, and forgets it with the next answer", async () => {
    const source = synced().onWatch(silent).onWatch(silent).onList(silent).onList(silent).onList(page(4));
    await using world = await startReflector(source);
    await world.clock.advance(3 * 90_000);
    expect(world.reflector.problem).toMatch("no answer from the API server for 90 s");
    await world.clock.advance(90_000);
    expect(world.reflector.problem).toBeUndefined();
    expect(source.calls.at(-1)).toBe("watch 4");
  });

  test("reads everything again when two silences show that the server's versions went back", async () => {
    const source = synced().onWatch(silent).onWatch(silent).onList(page(2));
    source.onWatch(silentAfter(added("a", 1), added("b", 2), bookmark(3, true), added("c", 4)));
    await using world = await startReflector(source, { silenceMs: 1_000 });
    world.seen();
    await world.clock.advance(2_000);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch 4", "list 1", "watch initial"]);
    expect(world.seen()).toEqual(["added n/b@2", "added n/c@4"]);
  });

  test("resumes from the same position when the server's versions did not go back after two silences", async () => {
    const source = synced().onWatch(silent).onWatch(silent).onList(page(4));
    await using world = await startReflector(source, { silenceMs: 1_000 });
    await world.clock.advance(2_000);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch 4", "list 1", "watch 4"]);
  });

  test("resumes from the same position when there was an event between two silences", async () => {
    const source = synced()
      .onWatch(silentAfter(bookmark(5)))
      .onWatch(silentAfter(bookmark(6)));
    await using world = await startReflector(source, { silenceMs: 1_000 });
    await world.clock.advance(2_000);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch 5", "watch 6"]);
  });

  test("reads everything again when its version has expired, and announces exactly the differences", async () => {
    const source = new ScriptedSource()
      .onWatch(
        failsAfter(
          expiredVersion(),
          added("same", 1),
          added("changed", 2),
          added("deleted", 3),
          added("recreated", 4),
          bookmark(5, true),
        ),
      )
      .onWatch(
        silentAfter(
          added("same", 1),
          added("changed", 6),
          added("recreated", 8, "another"),
          added("new", 9),
          bookmark(9, true),
        ),
      );
    await using world = await startReflector(source);
    expect(world.seen().slice(4)).toEqual([
      "changed n/changed@6",
      "deleted n/recreated@4",
      "added n/recreated@8",
      "added n/new@9",
      "deleted n/deleted@3",
    ]);
    expect(source.calls).toEqual(["watch initial", "watch initial"]);
    expect(world.clock.monotonic()).toBe(0);
  });

  test("pauses when its version expires again and again", async () => {
    const source = synced();
    source.onWatch(failsAfter(expiredVersion())).onWatch(failsAfter(expiredVersion(), bookmark(9, true)));
    await using world = await startReflector(source);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch initial"]);
    await world.clock.advance(1_000);
    expect(source.calls).toEqual(["watch initial", "watch 4", "watch initial", "watch initial"]);
  });
});

test("within a watch no change is announced twice or out of order", async () => {
  const again = [
    added("a", 5),
    modified("a", 6),
    deleted("a", 7),
    added("a", 5),
    modified("a", 6),
    bookmark(3),
    added("b", 8),
  ];
  const source = new ScriptedSource().onWatch(endsAfter(bookmark(4, true), ...again));
  await using world = await startReflector(source);
  expect(world.seen()).toEqual(["added n/a@5", "changed n/a@6", "deleted n/a@7", "added n/b@8"]);
  expect(source.calls).toEqual(["watch initial", "watch 8"]);
});

describe("the problem of a reflector", () => {
  test.each([
    { status: 401, reason: "the token is wrong, for now" },
    { status: 403, reason: "the right may be granted later" },
    { status: 404, reason: "the CRD may still come" },
  ])("reports status $status as a problem and retries: $reason", async ({ status }) => {
    const source = new ScriptedSource();
    for (let time = 0; time < 10; time++)
      source.onWatch(failsAfter(new ApiError("no such luck", { status, reason: "" })));
    await using world = await startReflector(source);
    expect(world.reflector.problem).toBe("cannot watch Thing (v1) in n: no such luck");
    await world.clock.advance(100_000);
    expect(source.calls).toHaveLength(11);
  });

  test("a problem is over when the server sends something", async () => {
    const source = new ScriptedSource().onWatch(failsAfter(brokenConnection())).onWatch(silentAfter(bookmark(4, true)));
    await using world = await startReflector(source);
    expect(world.reflector.problem).toMatch("the connection broke");
    await world.clock.advance(500);
    expect(world.reflector.problem).toBeUndefined();
  });

  test("a problem is over when a watch without events has lasted", async () => {
    const source = new ScriptedSource().onWatch(failsAfter(brokenConnection(), bookmark(4, true)));
    await using world = await startReflector(source);
    await world.clock.advance(500 + 9_999);
    expect(world.reflector.problem).toMatch("the connection broke");
    await world.clock.advance(1);
    expect(world.reflector.problem).toBeUndefined();
  });

  test("a problem continues while every watch ends early", async () => {
    const clock = new FakeClock();
    const source = synced().onWatch(failsAfter(brokenConnection()));
    source.onWatch(async function* (signal) {
      await clock.sleep(9_000, signal);
      yield* failsAfter(brokenConnection())(signal);
    });
    source.onWatch(failsAfter(brokenConnection()));
    await using world = await startReflector(source, {}, clock);
    await world.clock.advance(500 + 9_000 + 1_500);
    expect(world.reflector.problem).toMatch("the connection broke");
  });
});
