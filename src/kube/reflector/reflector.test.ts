import { describe, expect, test } from "vitest";
import { createMetrics, type LogFields, type Logger, silentLogger } from "#base";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { ApiError } from "../transport/api-error.ts";
import type { KubeObject } from "../client/object.ts";
import { createReflector, type StoreChange } from "./reflector.ts";
import {
  brokenConnection,
  expiredVersion,
  refusedInitialEvents,
  selection,
  startReflector,
} from "./scripted-reflector.fixture.ts";
import {
  added,
  bookmark,
  deleted,
  endsAfter,
  failsAfter,
  modified,
  page,
  ScriptedSource,
  silentAfter,
  thing,
} from "./scripted-source.fixture.ts";

describe("the first state", () => {
  test("reads the first state from initial events, changes before their end included", async () => {
    const events = [added("a", 3), added("b", 1), added("c", 2), modified("a", 7), deleted("b", 8), bookmark(9, true)];
    const source = new ScriptedSource().onWatch(silentAfter(...events, added("d", 10)));
    await using world = await startReflector(source);
    expect(world.seen()).toEqual([
      "initially added n/a@3",
      "initially added n/b@1",
      "initially added n/c@2",
      "initially changed n/a@7",
      "initially deleted n/b@8",
      "added n/d@10",
    ]);
    expect(source.calls).toEqual(["watch initial"]);
    expect(world.reflector.hasSynced).toBe(true);
    await world.reflector.whenSynced();
  });

  test("has not synced before the server marks the end of the initial events", async () => {
    const source = new ScriptedSource().onWatch(silentAfter(added("a", 3)));
    await using world = await startReflector(source);
    expect([world.reflector.hasSynced, world.reflector.store.size]).toEqual([false, 1]);
  });

  test.each([
    {
      opening: failsAfter(refusedInitialEvents()),
      reason: "a server that knows initial events but does not serve them says 422",
    },
    {
      opening: failsAfter(new ApiError("unknown parameter", { status: 400, reason: "BadRequest" })),
      reason: "others say 400",
    },
    { opening: endsAfter(added("a", 1)), reason: "a server that never heard of them sends no end of them" },
    { opening: silentAfter(added("a", 1), bookmark(3)), reason: "nor before its first other bookmark" },
  ])("lists the first state where initial events are not served: $reason", async ({ opening }) => {
    const source = new ScriptedSource().onWatch(opening).onList(async function* () {
      yield { items: [thing("a", 1)], resourceVersion: "5" };
      yield { items: [thing("b", 2)], resourceVersion: "6" };
    });
    source.onWatch(failsAfter(expiredVersion(), bookmark(6))).onList(page(8, thing("b", 2)));
    await using world = await startReflector(source);
    expect(world.seen()).toEqual(["initially added n/a@1", "initially added n/b@2", "deleted n/a@1"]);
    expect(source.calls).toEqual(["watch initial", "list", "watch 5", "list", "watch 8"]);
  });

  test("announces the first state once, even if reading it was interrupted", async () => {
    const source = new ScriptedSource()
      .onWatch(failsAfter(brokenConnection(), added("a", 3), added("gone meanwhile", 1)))
      .onWatch(silentAfter(added("a", 3), added("b", 4), bookmark(9, true)));
    await using world = await startReflector(source);
    expect(world.reflector.hasSynced).toBe(false);
    await world.clock.advance(500);
    expect(world.seen()).toEqual([
      "initially added n/a@3",
      "initially added n/gone meanwhile@1",
      "initially added n/b@4",
      "initially deleted n/gone meanwhile@1",
    ]);
    expect(source.calls).toEqual(["watch initial", "watch initial"]);
  });

  test("uses larger pages when etcd compacts the list before its last page", async () => {
    const source = new ScriptedSource().onWatch(failsAfter(refusedInitialEvents())).onList(async function* () {
      yield { items: [], resourceVersion: "5" };
      throw expiredVersion();
    });
    source.onList(page(6));
    await using _ = await startReflector(source);
    expect(source.calls).toEqual(["watch initial", "list", "list 4000", "watch 6"]);
  });
});

describe("subscribers", () => {
  test("a subscriber that throws is logged and stops neither the others nor the reflector", async () => {
    const clock = new FakeClock();
    const errors: LogFields[] = [];
    const log: Logger = { ...silentLogger, error: (_message, fields = {}) => errors.push(fields), child: () => log };
    const source = new ScriptedSource().onWatch(async function* (signal) {
      yield bookmark(1, true);
      await clock.sleep(1, signal);
      yield added("a", 2);
      yield added("b", 3);
    });
    await using world = await startReflector(source, { log }, clock);
    const order: string[] = [];
    world.reflector.subscribe(() => {
      throw new Error("mine");
    });
    const last = world.reflector.subscribe(({ key }) => order.push(key));
    await world.clock.advance(1);
    expect(order).toEqual(["n/a", "n/b"]);
    expect(errors.map(({ key }) => key)).toEqual(["n/a", "n/b"]);
    last[Symbol.dispose]();
  });

  test("a subscriber is not called after it was disposed of", async () => {
    const source = new ScriptedSource().onWatch(silentAfter(added("a", 1)));
    const reflector = createReflector({ client: source, selection, clock: new FakeClock(), random: () => 0 });
    const heard: string[] = [];
    const listener = ({ key }: StoreChange): void => void heard.push(key);
    const once = reflector.subscribe(listener);
    reflector.subscribe(listener);
    once[Symbol.dispose]();
    const stopping = new AbortController();
    const running = reflector.run(stopping.signal);
    await new FakeClock().advance(0);
    stopping.abort();
    await running;
    expect(heard).toEqual(["n/a"]);
  });
});

const metadataOnly = ({ apiVersion, kind, metadata }: KubeObject) => ({ apiVersion, kind, metadata });

describe("the store of a reflector", () => {
  const managed: KubeObject = {
    ...thing("a", 1),
    metadata: { ...thing("a", 1).metadata, labels: { app: "x" }, managedFields: [{ manager: "kubectl" }] },
    data: { large: "value" },
  };
  const source = () => new ScriptedSource().onWatch(silentAfter({ type: "ADDED", object: managed }, bookmark(1, true)));

  test("keeps objects without managedFields", async () => {
    await using world = await startReflector(source());
    const { managedFields: _, ...metadata } = managed.metadata;
    expect(world.reflector.store.get("n/a")).toEqual({ ...managed, metadata });
  });

  test("keeps the result of the transform", async () => {
    await using world = await startReflector(source(), { transform: metadataOnly });
    expect(Object.keys(world.reflector.store.get("n/a") ?? {})).toEqual(["apiVersion", "kind", "metadata"]);
  });

  test.each([
    {
      transform: (): never => {
        throw new Error("mine");
      },
      reason: "it throws",
    },
    {
      transform: (object: KubeObject) => ({ ...object, metadata: { name: "a" } }),
      reason: "the object lost its identity",
    },
  ])("keeps the whole object when the transform fails: $reason", async ({ transform }) => {
    await using world = await startReflector(source(), { transform });
    expect(world.reflector.store.get("n/a")).toMatchObject({ data: { large: "value" }, metadata: { uid: "uid-a" } });
  });

  test("finds objects by index", async () => {
    const indexers = { app: ({ metadata }: KubeObject) => Object.values(metadata.labels ?? {}) };
    await using world = await startReflector(source(), { indexers });
    expect(world.reflector.store.byIndex("app", "x").map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });
});

test("an aborted reflector stops, leaves no timer, and rejects whenSynced", async () => {
  for (const source of [
    new ScriptedSource(),
    new ScriptedSource().onWatch(failsAfter(brokenConnection())),
    new ScriptedSource().onWatch(failsAfter(refusedInitialEvents())),
  ]) {
    const world = await startReflector(source);
    const waiting = world.reflector.whenSynced();
    await Promise.all([expect(waiting).rejects.toThrow("aborted"), world.stop()]);
    expect(world.clock.pending).toBe(0);
    await expect(world.reflector.run(new AbortController().signal)).rejects.toThrow("started twice");
  }
});

test("whenSynced rejects when its signal is aborted", async () => {
  await using world = await startReflector(new ScriptedSource());
  await expect(world.reflector.whenSynced(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

test("metrics carry client-go's names, and reflectors share them", async () => {
  const metrics = createMetrics();
  const source = new ScriptedSource()
    .onWatch(endsAfter(added("a", 1), added("b", 1), bookmark(4, true)))
    .onWatch(failsAfter(brokenConnection()));
  await using _ = await startReflector(source, { metrics });
  await using _other = await startReflector(new ScriptedSource(), {
    metrics,
    selection: { apiVersion: "v1", kind: "Other" },
  });
  const { body } = await metrics.expose();
  const name = '{name="Thing (v1) in n"}';
  for (const line of [
    `reflector_lists_total${name} 1`,
    `reflector_items_per_list_sum${name} 2`,
    `reflector_list_duration_seconds_count${name} 1`,
    `reflector_watches_total${name} 2`,
    `reflector_items_per_watch_sum${name} 3`,
    `reflector_watch_duration_seconds_count${name} 2`,
    `reflector_failures_total${name} 1`,
    `reflector_objects${name} 2`,
    'reflector_watches_total{name="Other (v1)"} 1',
  ]) {
    expect(body).toContain(line);
  }
});
