import type { ReactNode } from "react";
import { AttentionAnswer, consoleLists } from "../../../src/server/console/console-api.ts";
import { Choice } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { RowTable } from "../parts/row-table.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, useRoute } from "../use-route.tsx";

const always = (): boolean => true;

/** What a person has to do, by namespace, oldest first. */
export function AttentionPage(): ReactNode {
  const { query } = useRoute();
  const namespace = query.get("namespace") ?? "";
  const path = `/api/attention${namespace === "" ? "" : `?${new URLSearchParams({ namespace })}`}`;
  const { answer, failure } = useRemote(path, AttentionAnswer, always);
  return (
    <>
      <header className="page-head">
        <h1>Attention</h1>
        <p>What goes on only after a person has done something, oldest first.</p>
      </header>
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {answer?.problem !== undefined && <NoticeBox tone="info">{answer.problem}</NoticeBox>}
      {answer && (
        <ul className="tiles" aria-label="summary">
          <li className="tile tile-person">
            <b>{answer.total}</b> {answer.total === 1 ? "needs" : "need"} a person
          </li>
          <li className="tile tile-tenon">
            <b>{answer.working}</b> Tenon works on
          </li>
          <li className="tile tile-nothing">
            <b>{answer.fine}</b> fine
          </li>
        </ul>
      )}
      {!answer && !failure && <Loading />}
      {answer && (answer.namespaces.length > 1 || namespace !== "") && (
        <search className="toolbar">
          <Choice name="namespace" title="namespace" values={answer.namespaces} value={namespace} />
        </search>
      )}
      {answer?.total === 0 && (
        <EmptyState title="Nothing needs you">
          Tenon does what is left by itself. You see only what your rights let you see.
        </EmptyState>
      )}
      {answer?.owners.map((owner) => (
        <OwnerCard key={owner.namespace} owner={owner} />
      ))}
      {answer !== undefined && answer.omitted > 0 && (
        <NoticeBox tone="info">
          {answer.omitted} more {answer.omitted === 1 ? "namespace has" : "namespaces have"} something that needs a
          person. Choose a namespace, or see the lists.
        </NoticeBox>
      )}
    </>
  );
}

function OwnerCard({ owner: { namespace, rows, counts } }: { owner: AttentionAnswer["owners"][number] }): ReactNode {
  const lists = consoleLists.flatMap((list) => (counts[list] ? [{ list, count: counts[list] }] : []));
  const total = lists.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className="card" aria-label={`namespace ${namespace}`}>
      <h2>
        {namespace} <span className="count">{total}</span>
      </h2>
      {rows.length > 0 && (
        <RowTable rows={rows} columns={[]} caption={`what needs a person in ${namespace}`} showsKind />
      )}
      {rows.length < total && (
        <p className="links">
          <span className="quiet">{total - rows.length} more:</span>
          {lists.map(({ list, count }) => (
            <Link key={list} to={`/${list}?${new URLSearchParams({ namespace, waitsOn: "person" })}`} data-row>
              all {count} {list}
            </Link>
          ))}
        </p>
      )}
    </section>
  );
}
