import { type ReactNode, useState } from "react";
import { type ConsoleList, Done, ObjectAnswer } from "../../../src/server/console/console-api.ts";
import { callServer, ServerFailure } from "../call-server.ts";
import { Ago } from "../parts/ago.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { IntegrationValues } from "../parts/integration-values.tsx";
import { RowTable, singular } from "../parts/row-table.tsx";
import { StateLabel } from "../parts/state-label.tsx";
import { useRemote } from "../use-remote.ts";
import { Link, objectPage } from "../use-route.tsx";

/** Lists whose objects are also on the page of an object. */
const showsToo: Readonly<Partial<Record<ConsoleList, readonly ConsoleList[]>>> = {
  sockets: ["plugs"],
  releases: ["snapshots", "propagations"],
};

function isIn(namespace: string, key: string): boolean {
  return key === "" || key.startsWith(`${namespace}/`);
}

/** One object: its state, what it waits for, what to do, and where everything comes from. */
export function ObjectPage({
  list,
  namespace,
  name,
}: {
  list: ConsoleList;
  namespace: string;
  name: string;
}): ReactNode {
  const path = `/api/objects${objectPage(list, namespace, name)}`;
  const key = `${namespace}/${name}`;
  const title = `${singular[list].slice(0, 1).toUpperCase()}${singular[list].slice(1)}`;
  const { answer, failure, reload } = useRemote(
    path,
    ObjectAnswer,
    (change) =>
      (change.list === list && (change.key === key || change.key === "")) ||
      (showsToo[list]?.includes(change.list) === true && (list === "sockets" || isIn(namespace, change.key))),
  );
  const isGone = failure !== undefined && [400, 403, 404].includes(failure.status);
  return (
    <>
      <nav className="crumbs" aria-label="breadcrumb">
        <Link to={`/${list}`}>{list}</Link> <span aria-hidden="true">/</span>{" "}
        <Link to={`/${list}?namespace=${encodeURIComponent(namespace)}`}>{namespace}</Link>
      </nav>
      <header className="page-head">
        <h1>
          {title} {name}
        </h1>
        {answer && !isGone && (
          <p className="state-line">
            <StateLabel {...answer.row} /> <Ago time={answer.row.since} />
          </p>
        )}
      </header>
      {isGone && failure && (
        <EmptyState title="Not here">
          <p>{failure.message}</p>
          <p>
            <Link to={`/${list}`}>All {list}</Link>
          </p>
        </EmptyState>
      )}
      {!isGone && <FailureNotice failure={failure} isOver={answer !== undefined} />}
      {!answer && !failure && <Loading />}
      {answer && !isGone && <ObjectBody answer={answer} path={path} reload={reload} />}
    </>
  );
}

function ObjectBody({ answer, path, reload }: { answer: ObjectAnswer; path: string; reload: () => void }): ReactNode {
  const { row, conditions, events, sections, chain, related, relatedTotal, problems, role, actions } = answer;
  return (
    <>
      {(row.waitsFor !== undefined || row.next !== undefined) && (
        <section className={`card story-card story-${row.waitsOn}`} aria-label="what to do">
          {row.waitsFor !== undefined && (
            <p>
              <b>Waits for</b> {row.waitsFor}
            </p>
          )}
          {row.next !== undefined && (
            <p>
              <b>Next</b> {row.next}
            </p>
          )}
          {actions.includes("retry") && <RetryButton path={path} reload={reload} />}
        </section>
      )}
      <section className="card" aria-label="facts">
        <dl className="facts">
          {Object.entries(row.cells).map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                {title === "created" || title === "ends" ? (
                  <Ago time={value} />
                ) : (
                  <CellValue title={title} value={value} row={row} />
                )}
              </dd>
            </div>
          ))}
          {answer.created !== undefined && row.cells["created"] === undefined && (
            <div>
              <dt>created</dt>
              <dd>
                <Ago time={answer.created} />
              </dd>
            </div>
          )}
        </dl>
      </section>
      {chain.length > 0 && <Chain chain={chain} />}
      {sections.map((section) => (
        <section className="card" key={section.title} aria-label={section.title}>
          <h2>{section.title}</h2>
          {section.rows.length === 0 ? (
            <p className="quiet">empty</p>
          ) : (
            <table className="rows">
              <thead>
                <tr>
                  {section.columns.map((column) => (
                    <th scope="col" key={column}>
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {section.rows.map(({ cells }) => (
                  <tr key={cells.join("\n")}>
                    {cells.map((cell, index) => (
                      <td key={section.columns[index]} data-title={section.columns[index]} className="cell">
                        {cell}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
      {row.list === "integrations" && <IntegrationValues namespace={row.namespace} name={row.name} />}
      {related.length > 0 && (
        <section className="card" aria-label="plugs">
          <h2>
            Plugs <span className="count">{relatedTotal}</span>
          </h2>
          <RowTable rows={related} columns={[]} caption="plugs of this socket" />
          {related.length < relatedTotal && (
            <p className="links">
              <Link to={`/plugs?${new URLSearchParams({ search: `${row.namespace}/${row.name}` })}`}>
                All {relatedTotal} plugs
              </Link>
            </p>
          )}
        </section>
      )}
      {problems.map((problem) => (
        <NoticeBox key={problem} tone="info">
          {problem}
        </NoticeBox>
      ))}
      {role !== undefined && (
        <section className="card" aria-label="missing rights">
          <h2>The Role that is missing</h2>
          <pre tabIndex={0}>{role}</pre>
        </section>
      )}
      {conditions.length > 0 && (
        <section className="card" aria-label="conditions">
          <h2>Conditions</h2>
          <table className="rows">
            <thead>
              <tr>
                {["type", "status", "reason", "since", "message"].map((column) => (
                  <th scope="col" key={column}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {conditions.map((each) => (
                <tr key={each.type}>
                  <td data-title="type">{each.type}</td>
                  <td data-title="status">{each.status}</td>
                  <td data-title="reason">{each.reason}</td>
                  <td data-title="since" className="since">
                    <Ago time={each.since} />
                  </td>
                  <td data-title="message" className="story">
                    {each.message}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {events.length > 0 && (
        <section className="card" aria-label="events">
          <h2>Events</h2>
          <ul className="events">
            {events.map((event) => (
              <li key={`${event.reason}${event.message}${event.last}`}>
                <Ago time={event.last} /> <b>{event.reason}</b>{" "}
                {event.count > 1 && <span className="count">{event.count} times</span>} {event.message}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** A socket, a snapshot or a plan that has a page of its own is a link to it. */
function CellValue({ title, value, row }: { title: string; value: string; row: ObjectAnswer["row"] }): ReactNode {
  if (title === "socket" && /^[^/ ]+\/[^/ ]+$/.test(value)) {
    const [namespace = "", name = ""] = value.split("/");
    return <Link to={objectPage("sockets", namespace, name)}>{value}</Link>;
  }
  if (title === "snapshot") return <Link to={objectPage("snapshots", row.namespace, value)}>{value}</Link>;
  return value;
}

/** The way from a commit to where it runs, with the log beside the step that failed. */
function Chain({ chain }: { chain: ObjectAnswer["chain"] }): ReactNode {
  return (
    <section className="card" aria-label="chain">
      <ol className="chain">
        {chain.map((step) => (
          <li key={step.title} className={`step step-${step.waitsOn}`}>
            <h3>
              {step.title} <StateLabel {...step} /> <Ago time={step.since} />
            </h3>
            {step.lines.map((line) => (
              <p key={line}>{line}</p>
            ))}
            {step.links.map(({ text, url }) => (
              <p key={url}>
                <a href={url} rel="noreferrer noopener" target="_blank">
                  {text}
                </a>
              </p>
            ))}
            {step.log !== undefined && <pre tabIndex={0}>{step.log.join("\n")}</pre>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function RetryButton({ path, reload }: { path: string; reload: () => void }): ReactNode {
  const [said, setSaid] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  async function retry(): Promise<void> {
    try {
      setSaid((await callServer(`${path}/retry`, Done, { method: "POST" })).done);
      reload();
    } catch (error) {
      setSaid(error instanceof ServerFailure ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <p>
      <button
        type="button"
        className="primary"
        disabled={isBusy}
        onClick={() => {
          setIsBusy(true);
          void retry();
        }}
      >
        Retry now
      </button>{" "}
      <span role="status">{said}</span>
    </p>
  );
}
