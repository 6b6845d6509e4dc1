import { type ReactNode, useEffect } from "react";
import { DataFileAnswer } from "../../../src/server/console/data-api.ts";
import { DataFileLink } from "../parts/data-file-link.tsx";
import { EmptyState, FailureNotice, Loading, NoticeBox } from "../parts/notices.tsx";
import { useRemote } from "../use-remote.ts";
import { Link } from "../use-route.tsx";

type DataLink = DataFileAnswer["links"][number];
type Problem = DataFileAnswer["problems"][number];

/** One file: its text with what is wrong beside the line, what it refers to, and what refers to it. */
export function DataFilePage({ part, path }: { part: "data" | "resources"; path: string }): ReactNode {
  const { answer, failure } = useRemote(
    `/api/data/file?${new URLSearchParams({ part, path })}`,
    DataFileAnswer,
    undefined,
  );
  const isRefused = failure !== undefined && failure.status >= 400 && failure.status < 500;
  const isLoaded = answer !== undefined;
  useEffect(() => {
    const { hash } = window.location;
    if (isLoaded && /^#line-\d+$/.test(hash)) document.querySelector(hash)?.scrollIntoView({ block: "center" });
  }, [isLoaded, path]);
  return (
    <>
      <nav className="crumbs" aria-label="breadcrumb">
        <Link to="/data">data</Link>
        {answer?.schema !== undefined && (
          <>
            {" "}
            <span aria-hidden="true">/</span>{" "}
            <Link to={`/data?schema=${encodeURIComponent(answer.schema)}`}>{answer.schema}</Link>
          </>
        )}
      </nav>
      <header className="page-head">
        <h1>{path}</h1>
        {answer && <p>{answer.name}</p>}
      </header>
      {isRefused ? (
        <EmptyState title="Not here">
          <p>{failure.message}</p>
          <p>{failure.next}</p>
          <p>
            <Link to="/data">All data files</Link>
          </p>
        </EmptyState>
      ) : (
        <FailureNotice failure={failure} isOver={answer !== undefined} />
      )}
      {!answer && !failure && <Loading />}
      {answer && !isRefused && (
        <div className="file-columns">
          <div>
            {answer.problems.length > 0 && <FileProblems problems={answer.problems} />}
            <FileText answer={answer} />
          </div>
          <aside aria-label="references">
            <FileLinks title="Refers to" links={answer.links} whenNone="It refers to no other file." />
            <FileLinks title="Referred to by" links={answer.backLinks} whenNone="No file refers to it." />
          </aside>
        </div>
      )}
    </>
  );
}

function FileProblems({ problems }: { problems: readonly Problem[] }): ReactNode {
  return (
    <section className="card story-card story-person" aria-label="problems">
      <h2>
        Problems <span className="count">{problems.length}</span>
      </h2>
      <ul className="problems">
        {problems.map(({ severity, where, line, what, next, reason }) => (
          <li key={`${where}${what}`}>
            <span className={`label label-${severity === "error" ? "person" : "tenon"}`}>{severity}</span>{" "}
            {line === undefined ? where : <a href={`#line-${line}`}>line {line}</a>} {what}
            {reason !== undefined && <span className="quiet"> ({reason})</span>}
            {next !== undefined && <span className="next">{next}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function FileText({ answer: { text, isCut, links, problems } }: { answer: DataFileAnswer }): ReactNode {
  const lines = text.replace(/\n$/, "").split("\n");
  const problemLines = Map.groupBy(problems, ({ line }) => line ?? 0);
  return (
    <section className="card file" aria-label="text">
      {isCut && <NoticeBox tone="info">The file is longer; this is its beginning.</NoticeBox>}
      <ol className="file-text" tabIndex={0} aria-label="lines">
        {lines.map((line, index) => {
          const number = index + 1;
          const own = problemLines.get(number);
          return (
            <li key={number} id={`line-${number}`} className={own ? "line line-problem" : "line"} value={number}>
              <LinkedLine line={line} links={links.filter((link) => link.line === number)} />
              {own?.map(({ what }) => (
                <span key={what} className="line-note">
                  {what}
                </span>
              ))}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function LinkedLine({ line, links }: { line: string; links: readonly DataLink[] }): ReactNode {
  const link = links.find(({ path, exists }) => exists && line.includes(path));
  if (!link) return line === "" ? " " : line;
  const [before = "", ...rest] = line.split(link.path);
  return (
    <>
      {before}
      <DataFileLinkText link={link} />
      {rest.join(link.path)}
    </>
  );
}

function DataFileLinkText({ link: { part, path } }: { link: DataLink }): ReactNode {
  const query = new URLSearchParams({ ...(part === "data" ? {} : { part }), path });
  return <Link to={`/data/file?${query}`}>{path}</Link>;
}

function FileLinks({
  title,
  links,
  whenNone,
}: {
  title: string;
  links: readonly DataLink[];
  whenNone: string;
}): ReactNode {
  const byFile = Map.groupBy(links, ({ part, path }) => `${part}${path}`);
  return (
    <section className="card" aria-label={title}>
      <h2>
        {title} <span className="count">{byFile.size}</span>
      </h2>
      {links.length === 0 && <p className="quiet">{whenNone}</p>}
      <ul className="file-links">
        {[...byFile.values()].map((own) => {
          const [first] = own;
          if (!first) return null;
          return (
            <li key={`${first.part}${first.path}`}>
              {first.exists ? (
                <DataFileLink part={first.part} path={first.path} />
              ) : (
                <>
                  {first.path} <span className="label label-person">does not exist</span>
                </>
              )}
              <span className="quiet">{own.map(({ at }) => at).join(", ")}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
