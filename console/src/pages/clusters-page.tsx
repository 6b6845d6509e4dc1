import type { ReactNode } from "react";
import { ClustersAnswer, type ConsoleCluster } from "../../../src/server/console/cluster-api.ts";
import { Choice, SearchField } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { StateLabel } from "../parts/state-label.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, useRoute } from "../use-route.tsx";

const columns = ["cluster", "state", "Kubernetes", "integrations", "namespaces", "what is going on"];

/** The clusters of the data, and which of them the person reaches. */
export function ClustersPage(): ReactNode {
  const { query } = useRoute();
  const { answer, failure, reload, isFresh } = useRemote("/api/clusters", ClustersAnswer, undefined);
  const [search, state] = [query.get("search") ?? "", query.get("state") ?? ""];
  const shown = answer?.clusters.filter(
    (each) => (state === "" || each.state === state) && textOf(each).includes(search.toLowerCase()),
  );
  return (
    <>
      <header className="page-head">
        <h1>Clusters</h1>
        <p>Where the integrations of the data run, asked with the credentials that your plan uses.</p>
      </header>
      <search className="toolbar">
        <SearchField value={search} placeholder="name, address, problem …" />
        <Choice name="state" title="state" values={["Reachable", "Unreachable", "LeftOut"]} value={state} />
        <div className="toolbar-buttons">
          <button type="button" disabled={!isFresh} onClick={reload}>
            Ask again
          </button>
        </div>
      </search>
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {answer?.problem !== undefined && (
        <NoticeBox tone="info">
          Only the cluster of this console: {answer.problem}. {answer.next}
        </NoticeBox>
      )}
      {!answer && !failure && <Loading />}
      {shown?.length === 0 && (
        <EmptyState title="No cluster matches">
          <Link to="/clusters">Remove the filters</Link>
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <section className="card" aria-label="Clusters" aria-busy={!isFresh}>
          <ClusterTable clusters={shown} />
        </section>
      )}
    </>
  );
}

function textOf({ name, endpoint, why = "", version = "" }: ConsoleCluster): string {
  return [name, endpoint, why, version].join("\n").toLowerCase();
}

function ClusterTable({ clusters }: { clusters: readonly ConsoleCluster[] }): ReactNode {
  return (
    <table className="rows">
      <caption className="hidden">clusters</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {clusters.map(({ name, endpoint, state, waitsOn, version, integrations, namespaces, why, next }) => (
          <tr key={name} tabIndex={-1} data-row>
            <td data-title="cluster" className="name">
              {name}
              <span className="quiet image-name">{endpoint}</span>
            </td>
            <td data-title="state">
              <StateLabel state={state} waitsOn={waitsOn} />
            </td>
            <td data-title="Kubernetes" className="cell">
              {version}
            </td>
            <td data-title="integrations" className="cell number">
              {integrations}
            </td>
            <td data-title="namespaces" className="cell number">
              {namespaces}
            </td>
            <td data-title="what is going on" className="story">
              {why !== undefined && <span className="waits">{why}</span>}
              {next !== undefined && <span className="next">{next}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
