import type { ReactNode } from "react";
import { DataAnswer } from "../../../src/server/console/data-api.ts";
import { DataFileLink } from "../parts/data-file-link.tsx";
import { Choice, SearchField } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading } from "../parts/notices.tsx";
import { Pager } from "../parts/pager.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, useRoute } from "../use-route.tsx";

const pageSize = 50;

/** All files of the data, those with errors first. */
export function DataPage(): ReactNode {
  const { query } = useRoute();
  const asked = new URLSearchParams(query);
  asked.set("limit", String(pageSize));
  const { answer, failure } = useRemote(`/api/data?${asked}`, DataAnswer, undefined);
  const isRefused = failure !== undefined && failure.status >= 400 && failure.status < 500;
  const offset = Number(query.get("offset") ?? 0);
  return (
    <>
      <header className="page-head">
        <h1>Data</h1>
        <p>
          The files that the plan is made from
          {answer && (
            <>
              : <code>{answer.location}</code>
            </>
          )}
          . <Link to="/data/changes">What changed between two refs</Link>
        </p>
      </header>
      {isRefused ? (
        <EmptyState title="No data">
          <p>{failure.message}</p>
          <p>{failure.next}</p>
        </EmptyState>
      ) : (
        <FailureNotice failure={failure} isOver={answer !== undefined} />
      )}
      {!isRefused && (
        <search className="toolbar">
          <SearchField value={query.get("search") ?? ""} placeholder="path, schema, name …" />
          <Choice
            name="schema"
            title="schema"
            values={Object.keys(answer?.schemas ?? {}).toSorted()}
            labels={answer?.schemas ?? {}}
            value={query.get("schema") ?? ""}
          />
          <Choice name="only" title="only" values={["problems"]} value={query.get("only") ?? ""} />
        </search>
      )}
      {!answer && !failure && <Loading />}
      {answer && !isRefused && (
        <>
          <ul className="tiles" aria-label="summary">
            <li className="tile tile-person">
              <b>{answer.errors}</b> {answer.errors === 1 ? "error" : "errors"}
            </li>
            <li className="tile tile-tenon">
              <b>{answer.warnings}</b> {answer.warnings === 1 ? "warning" : "warnings"}
            </li>
            <li className="tile tile-nothing">
              <b>{answer.files}</b> {answer.files === 1 ? "file" : "files"}
            </li>
          </ul>
          {answer.rows.length === 0 ? (
            <EmptyState title="No file matches">
              <Link to="/data">Remove the filters</Link>
            </EmptyState>
          ) : (
            <section className="card" aria-label="files">
              <FileTable rows={answer.rows} />
              <Pager offset={offset} shown={answer.rows.length} total={answer.total} size={pageSize} />
            </section>
          )}
        </>
      )}
    </>
  );
}

function FileTable({ rows }: Pick<DataAnswer, "rows">): ReactNode {
  return (
    <table className="rows">
      <caption className="hidden">files</caption>
      <thead>
        <tr>
          {["file", "name", "schema", "refers to", "referred to by", "problems"].map((column) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ part, path, name, schema, references, referrers, errors, warnings }) => (
          <tr key={`${part}${path}`}>
            <td className="name">
              <DataFileLink part={part} path={path} />
            </td>
            <td data-title="name" className="cell">
              {name}
            </td>
            <td data-title="schema" className="cell namespace">
              {schema}
            </td>
            <td data-title="refers to" className="cell number">
              {references === 0 ? "" : references}
            </td>
            <td data-title="referred to by" className="cell number">
              {referrers === 0 ? "" : referrers}
            </td>
            <td className="problem-counts">
              {errors > 0 && <span className="label label-person">{count(errors, "error")}</span>}
              {warnings > 0 && <span className="label label-tenon">{count(warnings, "warning")}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
