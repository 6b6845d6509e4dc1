import { buildGraph } from "#coupling";
import { describe, expect, test } from "vitest";
import { drawDot, drawMermaid, drawTree } from "./draw-graph.ts";
import { coupledStatus, sampleCoupled } from "../../coupling/views/sample-coupled.fixture.ts";

const socket = (name: string) => ({ socket: { name, namespace: "data" } });
const plugs = [
  sampleCoupled("Plug", "shop/db", { spec: socket("pg"), status: coupledStatus("Coupled", "CouplingSucceeded") }),
  sampleCoupled("Plug", "blog/db", { spec: socket("pg"), status: coupledStatus("Waiting", "LimitReached") }),
  sampleCoupled("Plug", "blog/mail", { spec: socket("smtp"), status: coupledStatus("Waiting", "SocketNotCreated") }),
  sampleCoupled("Plug", "blog/moving", {
    spec: socket("smtp"),
    status: { ...coupledStatus("Decoupling", "Decoupling", "decoupling from socket"), pairing: socket("pg") },
  }),
  sampleCoupled("Plug", "shop/idle", {}),
];
const sockets = [
  sampleCoupled("Socket", "data/pg", {
    spec: { interface: { name: "postgres" } },
    status: coupledStatus("Coupled", "SocketCoupled", "1 plug coupled"),
  }),
  sampleCoupled("Socket", "other/lonely", { status: coupledStatus("Waiting", "SocketEmpty") }),
];

describe("the tree", () => {
  test("the tree has each plug below its socket, also below a missing one and one that it leaves", () => {
    expect(drawTree(buildGraph(plugs, sockets))).toBe(`data/pg (postgres)  Coupled
├── blog/db  Waiting: a free slot on Socket data/pg
├── shop/db  Coupled
└── blog/moving  leaves for data/smtp
data/smtp  does not exist
├── blog/mail  Waiting: Socket data/smtp
└── blog/moving  Decoupling: decoupling from socket
other/lonely  Empty
(no socket)
└── shop/idle  New: the operator
`);
  });

  test("the tree of a namespace has its plugs and sockets, and those they are connected to", () => {
    expect(drawTree(buildGraph(plugs, sockets, "shop"))).toBe(`data/pg (postgres)  Coupled
└── shop/db  Coupled
(no socket)
└── shop/idle  New: the operator
`);
    expect(buildGraph(plugs, sockets, "data").plugs).toHaveLength(4);
    expect(buildGraph(plugs, sockets, "nowhere")).toEqual({ sockets: [], plugs: [] });
  });

  test("the tree escapes control characters in messages", () => {
    const status = coupledStatus("Waiting", "NamespaceNotAllowed", "no\u001b[2J\nfake/line  Coupled");
    const drawn = drawTree(buildGraph([sampleCoupled("Plug", "shop/db", { spec: socket("pg"), status })], sockets));
    expect(drawn).toContain("no\\u001b[2J\\nfake/line");
  });
});

test("the dot graph has a box per socket, a cluster per namespace, and dashes for plugs that are not coupled", () => {
  const drawn = drawDot(buildGraph(plugs.slice(0, 2), sockets, "data"));
  expect(drawn).toBe(`digraph coupling {
  rankdir=LR;
  subgraph cluster_0 {
    label="blog";
    p0 [label="db\\nWaiting", shape=ellipse];
  }
  subgraph cluster_1 {
    label="shop";
    p1 [label="db\\nCoupled", shape=ellipse];
  }
  subgraph cluster_2 {
    label="data";
    s0 [label="pg\\nCoupled", shape=box];
  }
  p0 -> s0 [style=dashed, label="LimitReached"];
  p1 -> s0;
}
`);
});

test("the mermaid graph has the same content as the dot graph", () => {
  const drawn = drawMermaid(buildGraph(plugs.slice(0, 2), sockets, "data"));
  expect(drawn).toBe(`flowchart LR
  subgraph n0["blog"]
    p0(["db<br>Waiting"])
  end
  subgraph n1["shop"]
    p1(["db<br>Coupled"])
  end
  subgraph n2["data"]
    s0["pg<br>Coupled"]
  end
  p0 -.->|"LimitReached"| s0
  p1 --> s0
`);
});

test("names and states cannot end their quotes", () => {
  const odd = [sampleCoupled("Plug", 'shop/a"b<c', { status: { phase: 'x"y' } })];
  expect(drawDot(buildGraph(odd, []))).toContain('label="a\\"b<c\\nx\\"y"');
  expect(drawMermaid(buildGraph(odd, []))).toContain('"a&quot;b&lt;c<br>x&quot;y"');
});

test("a graph of what is unhealthy has no coupled plugs, and only failed sockets and those that the other plugs name", () => {
  const failed = sampleCoupled("Socket", "data/broken", { status: coupledStatus("Failed", "Error") });
  const idle = sampleCoupled("Socket", "data/idle", { status: coupledStatus("Waiting", "SocketEmpty") });
  const graph = buildGraph(plugs.slice(0, 2), [...sockets, failed, idle], undefined, { isUnhealthy: true });
  expect(graph.plugs.map(({ state, reason }) => `${state} ${reason}`)).toEqual(["Waiting LimitReached"]);
  expect(graph.sockets.map(({ name }) => name)).toEqual(["broken", "pg"]);
});
