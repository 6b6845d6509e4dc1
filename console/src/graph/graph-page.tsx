import { type ReactNode, useCallback, useMemo, useState } from "react";
import type { ChangeEvent } from "../../../src/server/console/console-api.ts";
import { GraphAnswer, GraphTextAnswer } from "../../../src/server/console/console-api.ts";
import { Choice, SearchField } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { useRemote } from "../use-remote.ts";
import { setFilter, useRoute } from "../use-route.tsx";
import { GraphCanvas } from "./graph-canvas.tsx";
import "./graph-page.css";

const concerns = ({ list }: ChangeEvent): boolean => list === "plugs" || list === "sockets";
const filters = ["namespace", "unhealthy", "search", "open"] as const;
const zooms = [0.5, 0.7, 0.85, 1] as const;
/** Screens of this width show both sides of the graph only when it is small. */
const narrow = 700;

/** Which plugs are coupled to which sockets, and what the others wait for: drawn, or as text. */
export function GraphPage(): ReactNode {
  const { query } = useRoute();
  const isText = query.get("view") === "text";
  return (
    <>
      <header className="page-head">
        <h1>Graph</h1>
        <p>Which plugs are coupled to which sockets, and what the others wait for.</p>
      </header>
      {isText ? <GraphText query={query} /> : <GraphPicture query={query} />}
    </>
  );
}

function askFor(path: string, query: URLSearchParams, names: readonly string[]): string {
  const asked = new URLSearchParams();
  for (const name of names) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  return `${path}?${asked}`;
}

function Toolbar({ query, namespaces }: { query: URLSearchParams; namespaces: readonly string[] }): ReactNode {
  const isText = query.get("view") === "text";
  return (
    <search className="toolbar">
      <SearchField value={query.get("search") ?? ""} placeholder="name, state …" />
      <Choice name="namespace" title="namespace" values={namespaces} value={query.get("namespace") ?? ""} />
      <label className="graph-check">
        <input
          type="checkbox"
          checked={query.get("unhealthy") === "true"}
          onChange={({ target }) => setFilter("unhealthy", target.checked ? "true" : "")}
        />
        only unhealthy
      </label>
      <button type="button" onClick={() => setFilter("view", isText ? "" : "text")}>
        {isText ? "As a picture" : "As text"}
      </button>
    </search>
  );
}

function GraphPicture({ query }: { query: URLSearchParams }): ReactNode {
  const { answer, failure } = useRemote(askFor("/api/graph", query, filters), GraphAnswer, concerns);
  const [zoom, setZoom] = useState<number>(window.innerWidth < narrow ? 0.5 : 1);
  const shown = answer?.open.join(",") ?? "";
  const open = useMemo(() => new Set(shown.split(",").filter((name) => name !== "")), [shown]);
  const toggle = useCallback(
    (namespace: string) => {
      const next = open.has(namespace) ? [...open].filter((name) => name !== namespace) : [...open, namespace];
      // An empty list is not the default.
      setFilter("open", next.length === 0 ? "," : next.join(","));
    },
    [open],
  );
  const isFiltered = ["namespace", "unhealthy", "search"].some((name) => query.has(name));
  const step = (by: number): void => {
    const at = zooms.findIndex((each) => each === zoom) + by;
    setZoom(zooms[Math.min(Math.max(at, 0), zooms.length - 1)] ?? 1);
  };
  return (
    <>
      <Toolbar query={query} namespaces={answer?.namespaces ?? []} />
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {answer?.problem !== undefined && <NoticeBox tone="info">{answer.problem}</NoticeBox>}
      {answer !== undefined && answer.hidden > 0 && (
        <NoticeBox tone="info">
          {answer.hidden} more are in namespaces that do not fit; those that need a person come first. Choose a
          namespace or search.
        </NoticeBox>
      )}
      {!answer && !failure && <Loading />}
      {answer && answer.totalPlugs + answer.totalSockets === 0 && (
        <EmptyState title={isFiltered ? "Nothing matches" : "No plugs and no sockets"}>
          {query.get("unhealthy") === "true"
            ? "All plugs are coupled, and no socket has failed."
            : "There are none, or your rights do not let you see any."}
        </EmptyState>
      )}
      {answer && answer.totalPlugs + answer.totalSockets > 0 && (
        <section className="card graph-card" aria-label="plugs and sockets">
          <div className="graph-bar">
            <span>
              {answer.totalPlugs} {answer.totalPlugs === 1 ? "plug" : "plugs"}, {answer.totalSockets}{" "}
              {answer.totalSockets === 1 ? "socket" : "sockets"}
            </span>
            <span className="graph-legend" aria-hidden="true">
              <i className="graph-line graph-line-coupled" /> coupled <i className="graph-line graph-line-waiting" />{" "}
              waits
            </span>
            <span className="spring" />
            <button type="button" onClick={() => setFilter("open", answer.namespaces.join(","))}>
              Expand all
            </button>
            <button type="button" onClick={() => setFilter("open", ",")}>
              Collapse all
            </button>
            <button type="button" onClick={() => step(-1)} aria-label="smaller" disabled={zoom === zooms[0]}>
              −
            </button>
            <button type="button" onClick={() => step(1)} aria-label="larger" disabled={zoom === 1}>
              +
            </button>
          </div>
          <GraphCanvas answer={answer} zoom={zoom} open={open} toggle={toggle} />
        </section>
      )}
    </>
  );
}

const pageSize = 500;

function GraphText({ query }: { query: URLSearchParams }): ReactNode {
  const path = askFor("/api/graph/text", query, ["namespace", "unhealthy", "search", "offset"]);
  const { answer, failure } = useRemote(path, GraphTextAnswer, concerns);
  const offset = Number(query.get("offset") ?? 0);
  return (
    <>
      <Toolbar query={query} namespaces={query.has("namespace") ? [query.get("namespace") ?? ""] : []} />
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {answer?.problem !== undefined && <NoticeBox tone="info">{answer.problem}</NoticeBox>}
      {!answer && !failure && <Loading />}
      {answer && (
        <section className="card" aria-label="the graph as text">
          <p className="quiet">
            As <code>tenon graph{query.get("unhealthy") === "true" ? " --unhealthy" : ""}</code> prints it.
          </p>
          <pre className="graph-text" tabIndex={0}>
            {answer.total === 0 ? "no plugs and no sockets" : answer.lines.join("\n")}
          </pre>
          {answer.total > pageSize && (
            <footer className="pager">
              <span>
                lines {offset + 1} to {offset + answer.lines.length} of {answer.total}
              </span>
              <button
                type="button"
                disabled={offset === 0}
                onClick={() => setFilter("offset", offset <= pageSize ? "" : String(offset - pageSize))}
              >
                Previous
              </button>
              <button
                type="button"
                disabled={offset + answer.lines.length >= answer.total}
                onClick={() => setFilter("offset", String(offset + pageSize))}
              >
                Next
              </button>
            </footer>
          )}
        </section>
      )}
    </>
  );
}
