import { expect, test } from "vitest";
import { type ConsoleRow, ListQuery } from "./console-api.ts";
import { collectAttention, queryRows, searchable } from "./query-rows.ts";

function row(key: string, fields: Partial<ConsoleRow> = {}): ConsoleRow {
  const [namespace = "", name = ""] = key.split("/");
  return { list: "plugs", namespace, name, state: "Coupled", waitsOn: "nothing", cells: {}, ...fields };
}

const rows = [
  row("shop/b"),
  row("shop/a", { state: "Waiting", waitsOn: "tenon", cells: { socket: "data/Postgres" } }),
  row("blog/c", { state: "Failed", waitsOn: "person" }),
  row("blog/d"),
].map(searchable);

const keys = (query: object) =>
  queryRows(rows, ListQuery.parse(query)).rows.map(({ namespace, name }) => `${namespace}/${name}`);

test.each([
  { query: {}, found: ["blog/c", "shop/a", "blog/d", "shop/b"], reason: "what needs a person first, then by name" },
  { query: { sort: "name" }, found: ["shop/a", "shop/b", "blog/c", "blog/d"], reason: "by name" },
  {
    query: { sort: "name", order: "descending" },
    found: ["blog/d", "blog/c", "shop/b", "shop/a"],
    reason: "by name, last first",
  },
  { query: { namespace: "shop" }, found: ["shop/a", "shop/b"], reason: "one namespace" },
  { query: { state: "Coupled" }, found: ["blog/d", "shop/b"], reason: "one state" },
  { query: { search: "POSTGRES" }, found: ["shop/a"], reason: "a text of any column, in any case" },
  { query: { search: "op/b" }, found: ["shop/b"], reason: "namespace and name together" },
  { query: { offset: "1", limit: "2" }, found: ["shop/a", "blog/d"], reason: "the second page" },
  { query: { offset: "9" }, found: [], reason: "beyond the end" },
])("rows are found by $reason", ({ query, found }) => {
  expect(keys(query)).toEqual(found);
});

test("states are counted whatever state is asked for, so that a person sees what else there is", () => {
  const { states, total } = queryRows(rows, ListQuery.parse({ state: "Failed" }));
  expect([states, total]).toEqual([{ Failed: 1, Waiting: 1, Coupled: 2 }, 1]);
});

test("what needs a person comes by namespace, oldest first", () => {
  const all = [
    row("shop/new", { waitsOn: "person", since: "2026-01-03T00:00:00Z" }),
    row("blog/old", { waitsOn: "person", since: "2026-01-01T00:00:00Z" }),
    row("shop/middle", { waitsOn: "person", since: "2026-01-02T00:00:00Z" }),
    row("shop/fine"),
    row("shop/busy", { waitsOn: "tenon" }),
  ];
  const { owners, total, working, fine } = collectAttention(all);
  expect(owners.map((owner) => [owner.namespace, owner.rows.map(({ name }) => name)])).toEqual([
    ["blog", ["old"]],
    ["shop", ["middle", "new"]],
  ]);
  expect([total, working, fine]).toEqual([3, 1, 1]);
});

const crowdIn = (namespace: string) =>
  Array.from({ length: 30 }, (_, at) => row(`${namespace}/plug-${at}`, { waitsOn: "person" }));

test("what needs a person is bounded, with the oldest of each namespace first, and the rest counted", () => {
  const lone = Array.from({ length: 150 }, (_, at) => row(`lone-${at}/plug`, { waitsOn: "person" }));
  const { owners, omitted, total } = collectAttention([...crowdIn("crowd"), ...lone]);
  const [first] = owners;
  expect([first?.namespace, first?.rows.length, first?.counts]).toEqual(["crowd", 20, { plugs: 30 }]);
  expect([owners.length, omitted, total]).toEqual([100, 51, 180]);
  const many = Array.from({ length: 60 }, (_, at) => crowdIn(`ns-${at}`)).flat();
  const shown = collectAttention(many).owners.map(({ rows: own, counts }) => [own.length, counts.plugs]);
  expect(shown.reduce((sum, [length = 0]) => sum + length, 0)).toBe(250);
  expect(shown.at(-1), "its rows are counted all the same").toEqual([0, 30]);
});

test("what needs a person in one namespace can be asked for", () => {
  const all = [row("shop/a", { waitsOn: "person" }), row("blog/b", { waitsOn: "person" })];
  const { owners, namespaces, total } = collectAttention(all, { namespace: "shop" });
  expect([owners.map((owner) => owner.namespace), namespaces, total]).toEqual([["shop"], ["blog", "shop"], 1]);
});

const snapshot = (name: string, of: string, created: string, waitsOn: ConsoleRow["waitsOn"]) =>
  row(`shop/${name}`, { list: "snapshots", waitsOn, cells: { of, created } });

test("a Snapshot that failed needs no one once a newer one of the same component passed", () => {
  const { owners } = collectAttention([
    snapshot("one", "web", "2026-01-01T00:00:00Z", "person"),
    snapshot("two", "web", "2026-01-02T00:00:00Z", "nothing"),
    snapshot("three", "api", "2026-01-01T00:00:00Z", "person"),
  ]);
  expect(owners.flatMap((owner) => owner.rows.map(({ name }) => name))).toEqual(["three"]);
});

test("of two Snapshots that were created in one second, the one that failed needs a person, whichever comes first", () => {
  const both = [
    snapshot("one", "web", "2026-01-01T00:00:00Z", "nothing"),
    snapshot("two", "web", "2026-01-01T00:00:00Z", "person"),
  ];
  for (const all of [both, both.toReversed()]) {
    expect(collectAttention(all).owners.flatMap((owner) => owner.rows.map(({ name }) => name))).toEqual(["two"]);
  }
});
