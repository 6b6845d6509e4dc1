import type { ReactNode } from "react";
import { AttentionAnswer } from "../../../src/server/console/console-api.ts";
import { EmptyState, FailureNotice, Loading, Notice } from "../parts/notices.tsx";
import { RowTable } from "../parts/row-table.tsx";
import { useRemote } from "../use-remote.ts";

const always = (): boolean => true;

/** What a person has to do, by namespace, oldest first. */
export function AttentionPage(): ReactNode {
  const { answer, failure } = useRemote("/api/attention", AttentionAnswer, always);
  return (
    <>
      <header className="page-head">
        <h1>Attention</h1>
        <p>What goes on only after a person has done something, oldest first.</p>
      </header>
      <FailureNotice failure={failure} />
      {answer?.problem !== undefined && <Notice tone="info">{answer.problem}</Notice>}
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
      {answer?.total === 0 && (
        <EmptyState title="Nothing needs you">
          Tenon does what is left by itself. You see only what your rights let you see.
        </EmptyState>
      )}
      {answer?.owners.map(({ namespace, rows }) => (
        <section className="card" key={namespace} aria-label={`namespace ${namespace}`}>
          <h2>
            {namespace} <span className="count">{rows.length}</span>
          </h2>
          <RowTable rows={rows} columns={[]} caption={`what needs a person in ${namespace}`} showsKind />
        </section>
      ))}
    </>
  );
}
