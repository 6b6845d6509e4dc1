import type { ReactNode } from "react";
import { ActivityAnswer, type AppliedEntry } from "../../../src/server/console/activity-api.ts";
import { Ago } from "../parts/ago.tsx";
import { Choice } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading } from "../parts/notices.tsx";
import { Pager } from "../parts/pager.tsx";
import { StateLabel } from "../parts/state-label.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, useRoute } from "../use-route.tsx";

const pageSize = 20;

/** What was applied, by whom, and when. */
export function ActivityPage(): ReactNode {
  const { query } = useRoute();
  const asked = new URLSearchParams(query);
  asked.set("limit", String(pageSize));
  const { answer, failure } = useRemote(
    `/api/activity?${asked}`,
    ActivityAnswer,
    ({ list }) => list === "integrations",
  );
  const offset = Number(query.get("offset") ?? 0);
  return (
    <>
      <header className="page-head">
        <h1>Activity</h1>
        <p>What was applied to the clusters, by whom, and when.</p>
      </header>
      <search className="toolbar">
        <Choice
          name="integration"
          title="integration"
          values={answer?.integrations ?? []}
          value={query.get("integration") ?? ""}
        />
      </search>
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {!answer && !failure && <Loading />}
      {answer?.problem !== undefined && (
        <EmptyState title="No activity">
          <p>{answer.problem}</p>
          <p>{answer.next}</p>
        </EmptyState>
      )}
      {answer && answer.problem === undefined && answer.total === 0 && (
        <EmptyState title={query.has("integration") ? "Nothing matches" : "Nothing was applied yet"}>
          {query.has("integration") ? (
            <Link to="/activity">Remove the filter</Link>
          ) : (
            <p>
              <Link to="/plan">The plan</Link> shows what would change.
            </p>
          )}
        </EmptyState>
      )}
      {answer?.applied.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
      {answer && answer.total > pageSize && (
        <Pager offset={offset} shown={answer.applied.length} total={answer.total} size={pageSize} />
      )}
    </>
  );
}

function Entry({ entry }: { entry: AppliedEntry }): ReactNode {
  const { id, at, times, by, plan, data, commit, isSuccess, summary, rollbackTo, objects, omitted } = entry;
  return (
    <details className="card change">
      <summary data-row>
        <StateLabel state={isSuccess ? "Applied" : "Failed"} waitsOn={isSuccess ? "nothing" : "person"} />{" "}
        <b>{summary}</b> by {by} <Ago time={at} />
        {times > 1 && <span className="count">{times} times</span>}
        {rollbackTo !== undefined && <span className="count">rollback to {rollbackTo}</span>}
      </summary>
      <p className="quiet">
        entry {id}, plan <code>{plan}</code>, data <code>{data}</code>
        {commit !== undefined && (
          <>
            {" at "}
            <code title={commit}>{commit.slice(0, 10)}</code>
          </>
        )}
      </p>
      <ul className="events">
        {objects.map(({ cluster, namespace, kind, name, action, state }) => (
          <li key={`${cluster}/${namespace} ${kind} ${name}`}>
            {action} {kind} {cluster}/{namespace}/{name}
            {state !== "done" && <span className="label label-person">{state}</span>}
          </li>
        ))}
      </ul>
      {omitted > 0 && <p className="quiet">{omitted} more objects are not listed.</p>}
    </details>
  );
}
