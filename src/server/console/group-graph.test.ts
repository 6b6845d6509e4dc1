import { describe, expect, test } from "vitest";
import type { CouplingGraph, GraphPlug } from "#coupling";
import { groupGraph, searchGraph } from "./group-graph.ts";

const plug = (namespace: string, name: string, state = "Coupled", reason?: string): GraphPlug => ({
  namespace,
  name,
  state,
  socket: "data/pg",
  ...(reason === undefined ? {} : { reason }),
});
const many = (count: number, namespace: string, state = "Coupled", reason?: string) =>
  Array.from({ length: count }, (_, index) => plug(namespace, `${state}-${index}`, state, reason));
const sockets = [{ namespace: "data", name: "pg", state: "Coupled" }];
const judge = (graph: CouplingGraph) => (_: "plug" | "socket", key: string) =>
  graph.plugs.find(({ namespace, name }) => `${namespace}/${name}` === key)?.state === "Failed" ? "person" : "nothing";
const group = (graph: CouplingGraph, open?: readonly string[]) => groupGraph(graph, { open, waitsOn: judge(graph) });
const shownOf = (items: readonly { namespace: string; name?: string | undefined; count: number; state: string }[]) =>
  items.map(({ namespace, name, count, state }) => `${namespace}/${name ?? count} ${state}`);

describe("a graph of plugs and sockets", () => {
  test("a small graph is shown one by one, with the reason on the edge of a plug that waits", () => {
    const graph = { plugs: [plug("shop", "a"), plug("shop", "b", "Waiting", "LimitReached")], sockets };
    const shown = group(graph);
    expect(shownOf(shown.plugs)).toEqual(["shop/a Coupled", "shop/b Waiting"]);
    expect(shown.edges.map(({ from, kind, reason }) => [from, kind, reason])).toEqual([
      ["plug/shop/a", "coupled", undefined],
      ["plug/shop/b", "waiting", "LimitReached"],
    ]);
    expect(shown.open).toEqual(["data", "shop"]);
  });

  test("a large graph has a group for each namespace and state, and edges with how many they stand for", () => {
    const plugs = [...many(40, "shop"), ...many(30, "blog", "Waiting", "LimitReached"), ...many(9, "blog", "Failed")];
    const shown = group({ plugs, sockets });
    expect(shownOf(shown.plugs)).toEqual(["blog/9 Failed", "blog/30 Waiting", "shop/40 Coupled"]);
    expect(shown.edges.map(({ count, kind, reason }) => [count, kind, reason])).toEqual([
      [40, "coupled", undefined],
      [30, "waiting", "LimitReached"],
      [9, "waiting", undefined],
    ]);
    expect([shown.totalPlugs, shown.totalSockets, shown.hidden]).toEqual([79, 1, 0]);
  });

  test("an opened namespace is shown one by one, and nothing is lost beside it", () => {
    const graph = { plugs: [...many(40, "shop"), ...many(30, "blog")], sockets };
    const shown = group(graph, ["blog"]);
    expect(shown.plugs).toHaveLength(31);
    expect(shown.plugs.reduce((sum, { count }) => sum + count, 0)).toBe(70);
    expect(shown.edges.reduce((sum, { count }) => sum + count, 0)).toBe(70);
  });

  test("a closed small graph stays closed", () => {
    expect(shownOf(group({ plugs: [plug("shop", "a")], sockets }, []).plugs)).toEqual(["shop/1 Coupled"]);
  });

  test("an answer is bounded, whatever is asked for: what needs a person stays, and the rest is counted", () => {
    const plugs = [
      ...Array.from({ length: 300 }, (_, index) => many(20, `n${String(index).padStart(3, "0")}`)).flat(),
      plug("zoo", "broken", "Failed"),
    ];
    const shown = group(
      { plugs, sockets },
      plugs.map(({ namespace }) => namespace),
    );
    expect(shown.plugs.length).toBeLessThanOrEqual(1_700);
    expect(shownOf(shown.plugs)).toContain("zoo/broken Failed");
    expect(shown.plugs.reduce((sum, { count }) => sum + count, 0) + shown.hidden).toBe(plugs.length);
  });

  test("a namespace of too many plugs shows those that need a person, and the others as groups", () => {
    const plugs = [...many(400, "shop"), plug("shop", "broken", "Failed")];
    const shown = group({ plugs, sockets }, ["shop"]);
    expect(shownOf(shown.plugs)[0]).toBe("shop/broken Failed");
    expect(shownOf(shown.plugs).at(-1)).toBe("shop/151 Coupled");
  });

  test("a socket that plugs name and that does not exist needs a person", () => {
    const shown = group({ plugs: [plug("shop", "a", "Waiting")], sockets: [{ namespace: "data", name: "pg" }] });
    expect(shown.sockets).toEqual([expect.objectContaining({ state: "does not exist", waitsOn: "person" })]);
  });
});

test("a search finds plugs by what they wait for, and by their sockets, and keeps the sockets of what it finds", () => {
  const waiting = { ...plug("shop", "a", "Waiting", "LimitReached"), waitsFor: "a free slot on Socket data/pg" };
  const other = { ...plug("shop", "b"), socket: "mail/smtp" };
  const all = [...sockets, { namespace: "mail", name: "smtp", state: "Coupled" }];
  const graph = { plugs: [waiting, other], sockets: all };
  const named = (text: string) => searchGraph(graph, text).plugs.map(({ name }) => name);
  expect([named("FREE SLOT"), named("smtp"), named("nothing")]).toEqual([["a"], ["b"], []]);
  expect(searchGraph(graph, "limitreached").sockets.map(({ name }) => name)).toEqual(["pg"]);
});
