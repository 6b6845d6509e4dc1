import type { ReactNode } from "react";
import { EnvironmentAnswer, type EnvironmentCell } from "../../../src/server/console/environment-api.ts";
import { Ago } from "../parts/ago.tsx";
import { Choice, SearchField } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { Pager } from "../parts/pager.tsx";
import { StateLabel } from "../parts/state-label.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, objectPage, useRoute } from "../use-route.tsx";

const pageSize = 20;
const filters = ["search", "namespace", "environment", "only"];

/** Which digest of each image runs in each environment, and since when. */
export function WherePage(): ReactNode {
  const { query } = useRoute();
  const asked = new URLSearchParams(query);
  asked.set("limit", String(pageSize));
  const { answer, failure } = useRemote(
    `/api/environments?${asked}`,
    EnvironmentAnswer,
    ({ list }) => list === "propagations" || list === "integrations",
  );
  const isFiltered = filters.some((name) => query.has(name));
  const offset = Number(query.get("offset") ?? 0);
  return (
    <>
      <header className="page-head">
        <h1>Where</h1>
        <p>Which digest of each image runs in each environment, and since when.</p>
      </header>
      <search className="toolbar">
        <SearchField value={query.get("search") ?? ""} placeholder="component, image, digest …" />
        <Choice
          name="namespace"
          title="namespace"
          values={answer?.namespaces ?? []}
          value={query.get("namespace") ?? ""}
        />
        <Choice
          name="environment"
          title="environment"
          values={answer?.environments ?? []}
          value={query.get("environment") ?? ""}
        />
        <Choice name="only" title="only" values={["behind"]} value={query.get("only") ?? ""} />
      </search>
      <FailureNotice failure={failure} isOver={answer !== undefined} />
      {answer?.problem !== undefined && <NoticeBox tone="info">{answer.problem}</NoticeBox>}
      {!answer && !failure && <Loading />}
      {answer?.groups.length === 0 && (
        <EmptyState title={isFiltered ? "Nothing matches" : "No environments"}>
          {isFiltered ? (
            <Link to="/where">Remove the filters</Link>
          ) : (
            <p>
              A Propagation says which images go to which environments, and you see those that your rights let you see.{" "}
              <code>tenon get environments -A</code> prints the same in a terminal.
            </p>
          )}
        </EmptyState>
      )}
      {answer?.groups.map(({ namespace, propagation, environments, components }) => (
        <section className="card" key={`${namespace}/${propagation}`} aria-label={`${namespace}/${propagation}`}>
          <h2>
            <Link to={objectPage("propagations", namespace, propagation)} data-row>
              <span className="namespace">{namespace}/</span>
              {propagation}
            </Link>
          </h2>
          <table className="rows where">
            <thead>
              <tr>
                <th scope="col">component</th>
                <th scope="col">released</th>
                {environments.map((environment) => (
                  <th scope="col" key={environment}>
                    {environment}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {components.map(({ component, image, released, cells }) => (
                <tr key={image}>
                  <td className="name">
                    {component}
                    <span className="quiet image-name">{image}</span>
                  </td>
                  <td data-title="released" className="cell">
                    <Digest digest={released} />
                  </td>
                  {environments.map((environment) => (
                    <td key={environment} data-title={environment} className="cell">
                      <Cell cell={cells.find((each) => each.environment === environment)} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
      {answer && answer.total > pageSize && (
        <Pager offset={offset} shown={answer.groups.length} total={answer.total} size={pageSize} />
      )}
    </>
  );
}

function Cell({ cell }: { cell: EnvironmentCell | undefined }): ReactNode {
  if (!cell) return null;
  const { running, runningSince, merged, mergedSince, state, waitsOn, where } = cell;
  return (
    <div className="where-cell">
      <span>
        {running === undefined ? <span className="quiet">not known to run</span> : <Digest digest={running} />}{" "}
        <span className="since">
          <Ago time={runningSince} />
        </span>
      </span>
      {merged !== undefined && merged !== running && (
        <span className="quiet">
          merged <Digest digest={merged} /> <Ago time={mergedSince} />
        </span>
      )}
      <span>
        <StateLabel state={state} waitsOn={waitsOn} />
      </span>
      {where.map((each) => (
        <span key={each} className="quiet">
          {each}
        </span>
      ))}
    </div>
  );
}

/** As the command line prints it; the whole digest is at hand. */
function Digest({ digest }: { digest: string | undefined }): ReactNode {
  if (digest === undefined) return null;
  return (
    <code className="digest" title={digest}>
      {digest.replace(/^sha256:/, "").slice(0, 7)}
    </code>
  );
}
