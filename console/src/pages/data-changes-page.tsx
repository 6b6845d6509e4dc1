import { type FormEvent, type ReactNode, useState } from "react";
import { DataChangesAnswer } from "../../../src/server/console/data-api.ts";
import { DataFileLink } from "../parts/data-file-link.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, navigate, useRoute } from "../use-route.tsx";

type ChangeRow = DataChangesAnswer["rows"][number];

/** What changed in the data between two refs of its repository. */
export function DataChangesPage(): ReactNode {
  const { query } = useRoute();
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  return (
    <>
      <nav className="crumbs" aria-label="breadcrumb">
        <Link to="/data">data</Link>
      </nav>
      <header className="page-head">
        <h1>Changes of the data</h1>
        <p>What changed between two branches, tags or commits of the repository that the data is in.</p>
      </header>
      <RefForm key={`${from} ${to}`} from={from} to={to} />
      {from === "" ? (
        <EmptyState title="From which ref?">
          For example a branch such as <code>main</code>, or{" "}
          <Link to="/data/changes?from=HEAD">what is not committed yet</Link>.
        </EmptyState>
      ) : (
        <Changes from={from} to={to} />
      )}
    </>
  );
}

function RefForm({ from, to }: { from: string; to: string }): ReactNode {
  const [[typedFrom, typedTo], setTyped] = useState([from, to] as const);
  function submit(event: FormEvent): void {
    event.preventDefault();
    const query = new URLSearchParams({
      from: typedFrom.trim(),
      ...(typedTo.trim() === "" ? {} : { to: typedTo.trim() }),
    });
    navigate(`/data/changes?${query}`);
  }
  return (
    <form className="toolbar" onSubmit={submit}>
      <label className="field">
        <span>from</span>
        <input
          required
          value={typedFrom}
          data-search
          placeholder="main"
          onChange={({ target }) => setTyped([target.value, typedTo])}
        />
      </label>
      <label className="field">
        <span>to</span>
        <input
          value={typedTo}
          placeholder="the data as it is"
          onChange={({ target }) => setTyped([typedFrom, target.value])}
        />
      </label>
      <button type="submit" className="primary">
        Compare
      </button>
    </form>
  );
}

function Changes({ from, to }: { from: string; to: string }): ReactNode {
  const asked = new URLSearchParams({ from, ...(to === "" ? {} : { to }) });
  const { answer, failure } = useRemote(`/api/data/changes?${asked}`, DataChangesAnswer, undefined);
  const isRefused = failure !== undefined && failure.status >= 400 && failure.status < 500;
  if (isRefused) {
    return (
      <EmptyState title="Nothing to compare">
        <p>{failure.message}</p>
        <p>{failure.next}</p>
      </EmptyState>
    );
  }
  if (!answer) return failure ? <FailureNotice failure={failure} isOver={answer !== undefined} /> : <Loading />;
  if (answer.rows.length === 0) return <EmptyState title="No changes">Both are the same.</EmptyState>;
  const byFile = Map.groupBy(answer.rows, ({ part, path }) => `${part}${path}`);
  return (
    <>
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {[...byFile].map(([file, rows]) => (
        <FileChanges key={file} rows={rows} />
      ))}
      {answer.omitted > 0 && <NoticeBox tone="info">{answer.omitted} more changes are not shown.</NoticeBox>}
    </>
  );
}

function FileChanges({ rows }: { rows: readonly ChangeRow[] }): ReactNode {
  const [first] = rows;
  if (!first) return null;
  const isWhole = first.field === "" && first.change !== "changed";
  return (
    <section className="card changes" aria-label={`${first.part}${first.path}`}>
      <h2>
        <DataFileLink part={first.part} path={first.path} />{" "}
        {isWhole && (
          <span className={`label label-${first.change === "added" ? "nothing" : "person"}`}>{first.change}</span>
        )}
      </h2>
      <table className="diff">
        <thead className="hidden">
          <tr>
            <th scope="col">field</th>
            <th scope="col">old and new</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ field, old, new: current }) => (
            <tr key={field}>
              <th scope="row">{field === "" ? "file" : field}</th>
              <td>
                {old !== "" && <del>{old}</del>}
                {current !== "" && <ins>{current}</ins>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
