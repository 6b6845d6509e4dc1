import { type KeyboardEvent, memo, type PointerEvent, type ReactNode, useMemo, useRef, useState } from "react";
import type { GraphAnswer, GraphItem } from "../../../src/server/console/console-api.ts";
import { StateLabel } from "../parts/state-label.tsx";
import { Link, objectPage } from "../use-route.tsx";
import { type GraphLayout, layOutGraph, type PlacedEdge, type PlacedGroup, sizes } from "./lay-out-graph.ts";

const { side, between } = sizes;
const width = side * 2 + between;

interface Toggle {
  readonly open: ReadonlySet<string>;
  readonly toggle: (namespace: string) => void;
}

/** Plugs on the left, sockets on the right; it is moved by scrolling, dragging and the keyboard. */
export function GraphCanvas({ answer, zoom, ...toggle }: { answer: GraphAnswer; zoom: number } & Toggle): ReactNode {
  const layout = useMemo(() => layOutGraph(answer), [answer]);
  const [lit, setLit] = useState<string>();
  const dragged = useRef<{ x: number; y: number }>(undefined);
  const over = (target: EventTarget): void => {
    setLit(
      target instanceof Element
        ? (target.closest<HTMLElement>("[data-item]")?.dataset["item"] ?? undefined)
        : undefined,
    );
  };
  function drag(event: PointerEvent<HTMLDivElement>): void {
    if (!dragged.current) return;
    event.currentTarget.scrollLeft -= event.clientX - dragged.current.x;
    event.currentTarget.scrollTop -= event.clientY - dragged.current.y;
    dragged.current = { x: event.clientX, y: event.clientY };
  }
  return (
    <div
      className="graph-window"
      role="group"
      aria-label="graph"
      tabIndex={0}
      onPointerOver={({ target }) => over(target)}
      onPointerLeave={() => setLit(undefined)}
      onFocus={({ target }) => over(target)}
      onKeyDown={(event) => followEdge(event, layout)}
      onPointerDown={({ target, clientX: x, clientY: y, button, pointerType }) => {
        const isFree = target instanceof Element && !target.closest("a, button");
        if (isFree && button === 0 && pointerType === "mouse") dragged.current = { x, y };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        dragged.current = undefined;
      }}
    >
      <div className="graph-canvas" style={{ width, height: layout.height, zoom }}>
        <svg className="graph-edges" width={width} height={layout.height} aria-hidden="true">
          <Edges edges={layout.edges} />
          {lit !== undefined && (
            <g className="graph-lit">
              <Edges edges={layout.edges.filter(({ from, to }) => from === lit || to === lit)} />
            </g>
          )}
        </svg>
        <Column kind="plug" groups={layout.plugs} edges={layout.edges} {...toggle} />
        <Column kind="socket" groups={layout.sockets} edges={layout.edges} {...toggle} />
      </div>
    </div>
  );
}

const Edges = memo(function Edges({ edges }: { edges: readonly PlacedEdge[] }): ReactNode {
  return edges.map((edge) => {
    const { from, to, kind, reason, count, fromY, toY } = edge;
    const text = [count > 1 ? String(count) : "", kind === "leaving" ? "leaves" : (reason ?? "")]
      .filter(Boolean)
      .join(" × ");
    return (
      <g key={`${from} ${to} ${kind} ${reason}`} className={`graph-edge graph-edge-${kind}`}>
        <path
          d={`M${side} ${fromY} C${side + between * 0.6} ${fromY} ${side + between * 0.4} ${toY} ${side + between} ${toY}`}
        />
        {text !== "" && (
          <text x={side + 8} y={fromY - 5}>
            {text}
          </text>
        )}
      </g>
    );
  });
});

const Column = memo(function Column({
  kind,
  groups,
  edges,
  open,
  toggle,
}: { kind: "plug" | "socket"; groups: readonly PlacedGroup[]; edges: readonly PlacedEdge[] } & Toggle): ReactNode {
  const ends = useMemo(() => Map.groupBy(edges, (edge) => (kind === "plug" ? edge.from : edge.to)), [edges, kind]);
  return groups.map(({ namespace, top, items }) => (
    <section
      key={namespace}
      className={`graph-group graph-group-${kind}`}
      style={{ top }}
      aria-label={`${kind}s of namespace ${namespace}`}
    >
      <button type="button" aria-expanded={open.has(namespace)} onClick={() => toggle(namespace)} title={namespace}>
        {namespace}
      </button>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <Item item={item} kind={kind} why={describeEdges(ends.get(item.id) ?? [])} toggle={toggle} />
          </li>
        ))}
      </ul>
    </section>
  ));
});

/** For those who hear the graph: what is on its edges. */
function describeEdges(edges: readonly PlacedEdge[]): string {
  return edges
    .slice(0, 3)
    .map(
      ({ kind, reason, to, count }) =>
        `${count > 1 ? `${count} ` : ""}${kind}${reason === undefined ? "" : `, ${reason}`}: ${to.replace(/^socket\//, "").replace(/\/\/.*/, "")}`,
    )
    .join("; ");
}

function Item({
  item,
  kind,
  why,
  toggle,
}: { item: GraphItem; kind: "plug" | "socket"; why: string } & Pick<Toggle, "toggle">): ReactNode {
  const { id, namespace, name, count, state, waitsFor } = item;
  const hint = [waitsFor, why].filter(Boolean).join(" · ");
  const hidden = hint === "" ? null : <span className="hidden"> {hint}</span>;
  if (name === undefined) {
    return (
      <button
        type="button"
        className="graph-item"
        data-row
        data-item={id}
        title={hint}
        onClick={() => toggle(namespace)}
      >
        <span className="graph-name">
          {count} {count === 1 ? kind : `${kind}s`}
        </span>
        <StateLabel {...item} />
        {hidden}
      </button>
    );
  }
  if (state === "does not exist") {
    return (
      <span className="graph-item graph-absent" data-item={id} title={hint}>
        <span className="graph-name">{name}</span>
        <StateLabel {...item} />
        {hidden}
      </span>
    );
  }
  return (
    <Link to={objectPage(`${kind}s`, namespace, name)} className="graph-item" data-row data-item={id} title={hint}>
      <span className="graph-name">{name}</span>
      <StateLabel {...item} />
      {hidden}
    </Link>
  );
}

/** The arrows go along an edge to the other side, and up and down within a side. */
function followEdge(event: KeyboardEvent<HTMLDivElement>, { edges }: GraphLayout): void {
  const { target, key, currentTarget } = event;
  const item = target instanceof HTMLElement ? target.dataset["item"] : undefined;
  if (item === undefined || !key.startsWith("Arrow")) return;
  const all = [...currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const isPlug = item.startsWith("plug/");
  const edge = edges.find((each) => (isPlug ? each.from : each.to) === item);
  const own = all.filter((each) => each.dataset["item"]?.startsWith("plug/") === isPlug);
  const at = own.findIndex((each) => each === target);
  const goal = {
    ArrowRight: isPlug ? all.find((each) => each.dataset["item"] === edge?.to) : undefined,
    ArrowLeft: isPlug ? undefined : all.find((each) => each.dataset["item"] === edge?.from),
    ArrowUp: own[at - 1],
    ArrowDown: own[at + 1],
  }[key];
  event.preventDefault();
  goal?.focus();
}
