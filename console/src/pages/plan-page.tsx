import { type ReactNode, useEffect, useRef, useState } from "react";
import { ConsolePlan, type ConsoleProblem, PlanChangesAnswer } from "../../../src/server/console/plan-api.ts";
import { ApplyPanel } from "../parts/apply-panel.tsx";
import { Choice, SearchField } from "../parts/filters.tsx";
import { EmptyState, FailureNotice, Loading } from "../parts/notices.tsx";
import { Pager } from "../parts/pager.tsx";
import { PlannedChanges } from "../parts/planned-changes.tsx";
import { useRemote } from "../use-remote.ts";
import { setFilter, useRoute } from "../use-route.tsx";

const pageSize = 500;

interface Fold {
  readonly isOpen: boolean;
  readonly turn: number;
}

/** What would change on the clusters, and why; and the button that does it. */
export function PlanPage(): ReactNode {
  const { query } = useRoute();
  const asked = new URLSearchParams();
  for (const name of ["integration", "deletions"]) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  const { answer, failure, reload, isFresh } = useRemote(`/api/plan?${asked}`, ConsolePlan, undefined);
  const isRefused = failure !== undefined && failure.status >= 400 && failure.status < 500;
  const [fold, setFold] = useState<Fold>();
  return (
    <>
      <header className="page-head">
        <h1>Plan</h1>
        <p>
          What would change on the clusters to deploy the integrations of the data
          {answer && (
            <>
              : <code>{answer.data}</code>
              {answer.commit !== undefined && (
                <>
                  {" at "}
                  <code title={answer.commit}>{answer.commit.slice(0, 10)}</code>
                </>
              )}
            </>
          )}
        </p>
      </header>
      <search className="toolbar">
        <SearchField value={query.get("search") ?? ""} placeholder="object, namespace, field …" />
        <Choice
          name="integration"
          title="integration"
          values={answer?.integrations ?? []}
          value={query.get("integration") ?? ""}
        />
        <Choice
          name="change"
          title="change"
          values={["create", "update", "replace", "adopt", "delete"]}
          labels={answer?.counts ?? {}}
          value={query.get("change") ?? ""}
        />
        <div className="toolbar-buttons">
          <button type="button" onClick={() => setFold({ isOpen: true, turn: (fold?.turn ?? 0) + 1 })}>
            Unfold all
          </button>
          <button type="button" onClick={() => setFold({ isOpen: false, turn: (fold?.turn ?? 0) + 1 })}>
            Fold all
          </button>
          <button type="button" disabled={!isFresh} onClick={reload}>
            Plan again
          </button>
        </div>
      </search>
      {isRefused ? (
        <EmptyState title="No plan">
          <p>{failure.message}</p>
          <p>{failure.next}</p>
        </EmptyState>
      ) : (
        <FailureNotice failure={failure} isOver={answer !== undefined} />
      )}
      {!answer && !failure && (
        <>
          <p className="quiet">Reading the data and the clusters …</p>
          <Loading />
        </>
      )}
      {answer && !isRefused && (
        <div aria-busy={!isFresh} className={isFresh ? undefined : "outdated"}>
          <ApplyPanel
            plan={answer}
            scope={{ integration: query.get("integration"), deletions: query.get("deletions") }}
            isFresh={isFresh}
            reload={reload}
          />
          <Problems title="Errors" problems={answer.errors} />
          <Refusals refusals={answer.refusals} />
          {answer.actions.length === 0 && answer.errors.length + answer.refusals.length === 0 && (
            <EmptyState title="Nothing to do">Everything on the clusters is as the data says.</EmptyState>
          )}
          {answer.total > answer.actions.length ? (
            <LargePlan key={answer.id} plan={answer} fold={fold} reload={reload} />
          ) : (
            <PlannedChanges
              key={fold?.turn}
              actions={answer.actions}
              search={query.get("search") ?? ""}
              change={query.get("change") ?? ""}
              isOpen={fold?.isOpen}
            />
          )}
          <Problems title="Warnings" problems={answer.warnings} />
        </div>
      )}
    </>
  );
}

/** A plan with more changes than its first page has: the server filters them. */
function LargePlan({
  plan,
  fold,
  reload,
}: {
  plan: ConsolePlan;
  fold: Fold | undefined;
  reload: () => void;
}): ReactNode {
  const { query } = useRoute();
  const offset = Number(query.get("offset") ?? 0);
  const asked = new URLSearchParams({ plan: plan.id, limit: String(pageSize), offset: String(offset) });
  for (const name of ["search", "change"]) {
    const value = query.get(name) ?? "";
    if (value !== "") asked.set(name, value);
  }
  const { answer, failure, reload: askAgain } = useRemote(`/api/plan/changes?${asked}`, PlanChangesAnswer, undefined);
  // The console was started again, or a plan was read in another tab.
  const isForgotten = failure?.status === 404;
  useEffect(() => {
    if (isForgotten) reload();
  }, [isForgotten, reload]);
  const asking = useRef(plan);
  useEffect(() => {
    if (asking.current !== plan) askAgain();
    asking.current = plan;
  }, [plan, askAgain]);
  if (failure && !isForgotten) return <FailureNotice failure={failure} isOver={answer !== undefined} />;
  if (!answer) return <Loading />;
  const pager = <Pager offset={offset} shown={answer.actions.length} total={answer.total} size={pageSize} />;
  if (answer.total === 0) return <EmptyState title="No change matches" />;
  return (
    <>
      {pager}
      <PlannedChanges
        key={`${fold?.turn} ${offset}`}
        actions={answer.actions}
        search=""
        change=""
        isOpen={fold?.isOpen}
      />
      {pager}
    </>
  );
}

function Problems({ title, problems }: { title: string; problems: readonly ConsoleProblem[] }): ReactNode {
  if (problems.length === 0) return null;
  return (
    <section className={`card story-card ${title === "Errors" ? "story-person" : "story-tenon"}`} aria-label={title}>
      <h2>
        {title} <span className="count">{problems.length}</span>
      </h2>
      <ul className="problems">
        {problems.map(({ where, what, next }) => (
          <li key={`${where}${what}`}>
            {where !== undefined && <b>{where}</b>} {what}
            {next !== undefined && <span className="next">{next}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Refusals({ refusals }: Pick<ConsolePlan, "refusals">): ReactNode {
  if (refusals.length === 0) return null;
  return (
    <section className="card story-card story-person" aria-label="held back">
      <h2>
        Held back <span className="count">{refusals.length}</span>
      </h2>
      <ul className="problems">
        {refusals.map(({ what, objects, next, isConfirmable }) => (
          <li key={`${what}${objects.join()}`}>
            {what}
            {objects.map((object) => (
              <code key={object} className="held-object">
                {object}
              </code>
            ))}
            {isConfirmable ? (
              <button type="button" onClick={() => setFilter("deletions", "confirmed")}>
                Plan with these deletions
              </button>
            ) : (
              <span className="next">{next}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
