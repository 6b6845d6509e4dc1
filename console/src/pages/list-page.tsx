import type { ReactNode } from "react";
import { type ConsoleList, ListAnswer, sortableBy } from "../../../src/server/console/console-api.ts";
import { Choice, SearchField } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { Pager } from "../parts/pager.tsx";
import { RowTable, singular } from "../parts/row-table.tsx";
import { useRemote } from "../use-remote.ts";
import { setFilter, useRoute } from "../use-route.tsx";

const pageSize = 50;

const looks: Readonly<Record<ConsoleList, { title: string; about: string; columns: readonly string[] }>> = {
  integrations: {
    title: "Integrations",
    about: "What runs on this cluster for the integrations of your data files.",
    columns: ["ready", "shards", "image"],
  },
  plugs: { title: "Plugs", about: "Applications that ask for another one.", columns: ["socket"] },
  sockets: { title: "Sockets", about: "Applications that offer themselves to plugs.", columns: ["plugs"] },
  snapshots: {
    title: "Snapshots",
    about: "Sets of images that were built, and their tests.",
    columns: ["of", "tests"],
  },
  releases: { title: "Releases", about: "What passed, on its way to its environments.", columns: ["plan", "snapshot"] },
  propagations: {
    title: "Propagations",
    about: "Which digest each stage proposes, has merged and runs.",
    columns: ["stages", "running"],
  },
  claims: {
    title: "Environments",
    about: "Namespaces for a run or a person, which end by themselves.",
    columns: ["class", "for", "environment", "ends"],
  },
};

/** A list that the server filters, sorts and pages. The filters are in the address. */
export function ListPage({ list }: { list: ConsoleList }): ReactNode {
  const { query } = useRoute();
  const asked = new URLSearchParams(query);
  asked.set("limit", String(pageSize));
  const { answer, failure } = useRemote(`/api/lists/${list}?${asked}`, ListAnswer, (change) => change.list === list);
  const { title, about, columns } = looks[list];
  const offset = Number(query.get("offset") ?? 0);
  const isFiltered = ["search", "state", "namespace", "waitsOn"].some((name) => query.has(name));
  return (
    <>
      <header className="page-head">
        <h1>{title}</h1>
        <p>{about}</p>
      </header>
      <search className="toolbar">
        <SearchField value={query.get("search") ?? ""} placeholder="name, state, image …" />
        <Choice
          name="namespace"
          title="namespace"
          values={answer?.namespaces ?? []}
          value={query.get("namespace") ?? ""}
        />
        <Choice
          name="state"
          title="state"
          values={Object.keys(answer?.states ?? {}).toSorted()}
          labels={answer?.states ?? {}}
          value={query.get("state") ?? ""}
        />
        <Choice
          name="waitsOn"
          title="waits on"
          values={["person", "tenon", "nothing"]}
          value={query.get("waitsOn") ?? ""}
        />
        <Choice
          name="sort"
          title="sorted by"
          values={sortableBy.slice(1)}
          value={query.get("sort") ?? ""}
          none="urgency"
        />
        <Choice name="order" title="order" values={["descending"]} value={query.get("order") ?? ""} none="ascending" />
      </search>
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {answer?.problem !== undefined && <NoticeBox tone="info">{answer.problem}</NoticeBox>}
      {!answer && !failure && <Loading />}
      {answer && answer.rows.length === 0 && (
        <EmptyState title={isFiltered ? `No ${singular[list]} matches` : `No ${list}`}>
          {isFiltered ? (
            <button type="button" onClick={() => history.length > 0 && clearFilters()}>
              Remove the filters
            </button>
          ) : (
            <p>
              There are none, or your rights do not let you see any. <code>tenon get {list} -A</code> prints the same in
              a terminal.
            </p>
          )}
        </EmptyState>
      )}
      {answer && answer.rows.length > 0 && (
        <section className="card" aria-label={title}>
          <RowTable rows={answer.rows} columns={columns} caption={title} />
          <Pager offset={offset} shown={answer.rows.length} total={answer.total} size={pageSize} />
        </section>
      )}
    </>
  );
}

function clearFilters(): void {
  for (const name of ["search", "state", "namespace", "waitsOn"]) setFilter(name, "");
}
