import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { ConsoleList, Done, SessionAnswer } from "../../src/server/console/console-api.ts";
import { callServer, ServerFailure } from "./call-server.ts";
import { type LiveState, useLiveChanges } from "./live-changes.ts";
import { AttentionPage } from "./pages/attention-page.tsx";
import { latePage } from "./pages/late-page.tsx";
import { ListPage } from "./pages/list-page.tsx";
import { LoginPage } from "./pages/login-page.tsx";
import { ObjectPage } from "./pages/object-page.tsx";
import { EmptyState, FailureNotice, Loading } from "./parts/notices.tsx";
import { useKeys } from "./use-keys.ts";
import { useTheme } from "./use-theme.ts";
import { Link, useRoute } from "./use-route.tsx";

const PlanPage = latePage(async () => (await import("./pages/plan-page.tsx")).PlanPage);
const DataPages = latePage(async () => (await import("./pages/data-pages.tsx")).DataPages);
const WherePage = latePage(async () => (await import("./pages/where-page.tsx")).WherePage);
const ClustersPage = latePage(async () => (await import("./pages/clusters-page.tsx")).ClustersPage);
const ActivityPage = latePage(async () => (await import("./pages/activity-page.tsx")).ActivityPage);
const GraphPage = latePage(async () => (await import("./graph/graph-page.tsx")).GraphPage);

type Known =
  | { readonly kind: "unknown" }
  | { readonly kind: "stranger" }
  | { readonly kind: "failed"; readonly failure: ServerFailure }
  | { readonly kind: "person"; readonly session: SessionAnswer };

const retryMs = 3_000;

/** The console: the login for strangers, the pages for everyone else. */
export function App(): ReactNode {
  const [known, setKnown] = useState<Known>({ kind: "unknown" });
  const identify = useCallback(() => {
    callServer("/api/session", SessionAnswer).then(
      (session) => setKnown({ kind: "person", session }),
      (error: unknown) => {
        const failure = error instanceof ServerFailure ? error : new ServerFailure(0, String(error));
        setKnown(failure.status === 401 ? { kind: "stranger" } : { kind: "failed", failure });
      },
    );
  }, []);
  useEffect(identify, [identify]);
  useEffect(() => {
    if (known.kind !== "failed") return undefined;
    const waiting = setTimeout(identify, retryMs);
    return () => clearTimeout(waiting);
  }, [known, identify]);
  // A link in the address is for who opens it, also if someone is logged in.
  const isLinked = window.location.pathname === "/login" && window.location.hash !== "";
  if (isLinked || known.kind === "stranger") return <LoginPage onDone={identify} />;
  if (known.kind === "unknown") return <Loading />;
  if (known.kind === "failed") return <FailureNotice failure={known.failure} />;
  return <Frame session={known.session} onLogout={() => setKnown({ kind: "stranger" })} />;
}

const entries = [
  { path: "/", title: "Attention", key: "a" },
  { path: "/integrations", title: "Integrations", key: "i" },
  { path: "/plan", title: "Plan", key: "l" },
  { path: "/clusters", title: "Clusters", key: "c" },
  { path: "/data", title: "Data", key: "d" },
  { path: "/plugs", title: "Plugs", key: "p" },
  { path: "/sockets", title: "Sockets", key: "s" },
  { path: "/graph", title: "Graph", key: "g" },
  { path: "/snapshots", title: "Snapshots", key: "n" },
  { path: "/releases", title: "Releases", key: "r" },
  { path: "/propagations", title: "Propagations", key: "o" },
  { path: "/where", title: "Where", key: "w" },
  { path: "/claims", title: "Environments", key: "e" },
  { path: "/activity", title: "Activity", key: "t" },
] as const;

function Frame({ session, onLogout }: { session: SessionAnswer; onLogout: () => void }): ReactNode {
  const { parts } = useRoute();
  const live = useLiveChanges();
  const [theme, nextTheme] = useTheme();
  useKeys(entries);
  const [first = ""] = parts;
  const pages = useRef<HTMLElement>(null);
  // On a narrow screen the pages are one line, which is scrolled.
  useEffect(() => {
    const line = pages.current;
    const current = line?.querySelector<HTMLElement>(`a[href="/${first}"]`);
    if (line && current) line.scrollLeft = current.offsetLeft - (line.clientWidth - current.clientWidth) / 2;
  }, [first]);
  useEffect(() => {
    document.title = parts.length === 0 ? "Attention · Tenon" : `${parts.toReversed().join(" · ")} · Tenon`;
  });
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="masthead">
        <Link to="/" className="brand">
          <img src="/tenon.svg" alt="" width="24" height="24" /> Tenon
        </Link>
        <span className="cluster" title="cluster">
          {session.cluster}
        </span>
        <LiveLight live={live} />
        <span className="spring" />
        <span className="person" title="you are logged in as">
          {session.user}
          {session.readOnly && " (read-only)"}
        </span>
        <button type="button" onClick={nextTheme} title="light, dark, or as the system">
          Theme: {theme}
        </button>
        <button type="button" onClick={() => void logOut(onLogout)}>
          Log out
        </button>
      </header>
      <div className="frame">
        <nav className="sidebar" aria-label="pages" ref={pages}>
          <ul>
            {entries.map(({ path, title, key }) => (
              <li key={path}>
                <Link to={path} aria-current={path === `/${first}` ? "page" : undefined} title={`keys: g ${key}`}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <main id="content" tabIndex={-1}>
          {live.kind === "broken" && (
            <p className="notice notice-problem notice-floating" role="alert">
              <strong>What you see may be out of date.</strong> {live.why}
            </p>
          )}
          <CurrentPage parts={parts} />
        </main>
      </div>
    </>
  );
}

async function logOut(onLogout: () => void): Promise<void> {
  const { goTo } = await callServer("/api/session", Done, { method: "DELETE" }).catch(() => ({ goTo: undefined }));
  // The address is of the identity provider, by the server.
  if (goTo === undefined) onLogout();
  else window.location.assign(goTo);
}

function CurrentPage({ parts }: { parts: readonly string[] }): ReactNode {
  const [first = "", namespace, name] = parts;
  if (first === "" || first === "login") return <AttentionPage />;
  if (first === "graph" && parts.length === 1) return <GraphPage />;
  if (first === "plan" && parts.length === 1) return <PlanPage />;
  if (first === "data" && parts.length <= 2) return <DataPages />;
  if (first === "where" && parts.length === 1) return <WherePage />;
  if (first === "clusters" && parts.length === 1) return <ClustersPage />;
  if (first === "activity" && parts.length === 1) return <ActivityPage />;
  const list = ConsoleList.safeParse(first);
  if (!list.success || parts.length === 2 || parts.length > 3) {
    return (
      <EmptyState title="Page not found">
        <Link to="/">What needs attention</Link>
      </EmptyState>
    );
  }
  if (namespace === undefined || name === undefined) return <ListPage key={list.data} list={list.data} />;
  return <ObjectPage key={parts.join("/")} list={list.data} namespace={namespace} name={name} />;
}

const lights = { live: "live", connecting: "connecting", broken: "out of date" } as const;

function LiveLight({ live }: { live: LiveState }): ReactNode {
  return (
    <span className={`light light-${live.kind}`} role="status">
      {lights[live.kind]}
    </span>
  );
}
