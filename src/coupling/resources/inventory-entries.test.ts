import { expect, test } from "vitest";
import type { CouplingEntry } from "../kinds/index.ts";
import { Claims, mergeEntries, staleEntries } from "./inventory-entries.ts";

const entry = (name: string, more: Partial<CouplingEntry> = {}): CouplingEntry => ({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  namespace: "prov",
  name,
  side: "socket",
  stage: "coupled",
  ...more,
});

test("H48: an object with several holders stays until the last of them has released it", () => {
  const claims = new Claims(() => [
    ["one", [entry("shared")]],
    ["two", [entry("shared"), entry("own")]],
  ]);
  expect(claims.isHeldByOthers(entry("own"), "two")).toBe(false);
  claims.giveUp(entry("shared"), "one");
  expect(claims.isHeldByOthers(entry("shared"), "one")).toBe(true);
  claims.giveUp(entry("shared"), "two");
  expect(claims.isHeldByOthers(entry("shared"), "two")).toBe(false);
});

test("claims are recalled once, and later changes win", () => {
  let asked = 0;
  const claims = new Claims(() => {
    asked++;
    return [["one", [entry("a")]]];
  });
  claims.set("one", [entry("b")]);
  expect(claims.isHeldByOthers(entry("a"), "two")).toBe(false);
  expect(claims.isHeldByOthers(entry("b"), "two")).toBe(true);
  claims.release("one");
  expect(claims.isHeldByOthers(entry("b"), "two")).toBe(false);
  expect(asked).toBe(1);
});

test("tasks on one object run one at a time, also after a failure, and tasks on other objects run at once", async () => {
  const claims = new Claims();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const works = [
    claims.exclusively(entry("a"), async () => {
      log.push("a1");
      await first.promise;
      throw new Error("no");
    }),
    claims.exclusively(entry("a"), async () => void log.push("a2")),
    claims.exclusively(entry("b"), async () => void log.push("b")),
  ];
  await works[2];
  expect(log).toEqual(["a1", "b"]);
  first.resolve();
  await Promise.allSettled(works);
  expect(log).toEqual(["a1", "b", "a2"]);
});

test("H56: an object counts as stale when its side no longer makes it at the stage that made it", () => {
  const before = [
    entry("kept"),
    entry("gone"),
    entry("once", { once: true }),
    entry("result", { stage: "result" }),
    entry("created", { stage: "created" }),
    entry("plug", { side: "plug" }),
  ];
  const stale = (occasion: "coupled" | "updated" | "result") =>
    staleEntries(before, [entry("kept")], "socket", occasion).map(({ name }) => name);
  expect(stale("updated")).toEqual(["gone"]);
  expect(stale("coupled")).toEqual(["gone", "once"]);
  expect(stale("result")).toEqual(["result"]);
});

test("a planned entry keeps the uid of an existing object, and that it must not be deleted", () => {
  const known = entry("a", { uid: "1", retained: true });
  expect(mergeEntries([known], [entry("a", { stage: "updated" })])).toEqual([
    entry("a", { stage: "updated", uid: "1", retained: true }),
  ]);
  expect(mergeEntries([known], [entry("a", { uid: "2" })])).toEqual([entry("a", { uid: "2" })]);
});

const wish = (content: string) => ({ basis: "1", content });

test("wishes of other plugs are known until they give up their claim, and that frees a plug that was refused", () => {
  const freed: string[] = [];
  const claims = new Claims(
    () => [["old", [entry("shared")]]],
    (uid) => freed.push(uid),
  );
  claims.set("one", [entry("shared")]);
  claims.wish(entry("shared"), "one", wish("a"));
  claims.set("two", [entry("shared")]);
  expect(claims.wish(entry("shared"), "two", wish("b"))).toEqual([
    ["old", undefined],
    ["one", wish("a")],
  ]);
  claims.refuse(entry("shared"), "two");
  claims.set("one", [entry("shared"), entry("more")]);
  expect(freed).toEqual([]);
  claims.giveUp(entry("shared"), "one");
  expect(freed).toEqual(["two"]);
  expect(claims.wish(entry("shared"), "two", wish("b"))).toEqual([["old", undefined]]);
});
