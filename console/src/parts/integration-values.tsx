import type { ReactNode } from "react";
import { type IntegrationValue, ValuesAnswer } from "../../../src/server/console/values-api.ts";
import { useRemote } from "../use-remote.ts";
import { Link } from "../use-route.tsx";
import { DataFileLink } from "./data-file-link.tsx";
import { FailureNotice, NoticeBox } from "./notices.tsx";

const columns = ["field", "value", "comes from", "in place of"];

/** The way to the plan of an integration, and where each of its values comes from. */
export function IntegrationValues({ namespace, name }: { namespace: string; name: string }): ReactNode {
  const path = `/api/integrations/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/values`;
  const { answer, failure } = useRemote(path, ValuesAnswer, undefined);
  // Without data, or without the right to see it.
  if (failure && failure.status >= 400 && failure.status < 500) {
    return <p className="quiet">Where its values come from: {failure.message}.</p>;
  }
  if (!answer) return <FailureNotice failure={failure} />;
  return (
    <>
      <p className="links">
        <Link to={`/plan?integration=${encodeURIComponent(name)}`}>Plan of this integration</Link>
        <Link to={`/activity?integration=${encodeURIComponent(name)}`}>What was applied</Link>
      </p>
      {answer.targets.map(({ cluster, environment, suspended, shards, omitted }) => (
        <section className="card" key={`${cluster}/${environment}`} aria-label={`values on ${cluster}`}>
          <h2>
            Values on {cluster} <span className="count">{environment}</span>
          </h2>
          {suspended !== undefined && <p>suspended: {suspended}</p>}
          {shards.map((shard, index) => (
            <details key={shard.name} className="change" open={index === 0}>
              <summary data-row>{shard.name}</summary>
              <ValueTable values={shard.values} />
            </details>
          ))}
          {omitted > 0 && (
            <p className="quiet">
              {omitted} more shards: <code>tenon explain integration/{name} --shard NAME</code> prints each.
            </p>
          )}
        </section>
      ))}
      {answer.problems.map((problem) => (
        <NoticeBox key={problem} tone="info">
          {problem}
        </NoticeBox>
      ))}
    </>
  );
}

function ValueTable({ values }: { values: readonly IntegrationValue[] }): ReactNode {
  return (
    <table className="rows">
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
        {values.map(({ field, value, source, path, line, where, overrode }) => (
          <tr key={field}>
            <td data-title="field" className="cell">
              {field}
            </td>
            <td data-title="value" className="cell">
              {value}
            </td>
            <td data-title="comes from" className="cell">
              {source}
              {path !== undefined && (
                <>
                  {": "}
                  <DataFileLink part="data" path={path} {...(line === undefined ? {} : { line })} />
                </>
              )}
              {where !== undefined && `: ${where}`}
            </td>
            <td data-title="in place of" className="cell">
              {overrode.join(", ")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
