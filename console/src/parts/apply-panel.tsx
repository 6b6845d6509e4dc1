import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { ApplyAnswer, type ConsolePlan } from "../../../src/server/console/plan-api.ts";
import { callServer, ServerFailure } from "../call-server.ts";
import { FailureNotice, NoticeBox } from "./notices.tsx";

const pollMs = 700;

interface Scope {
  readonly integration: string | null;
  readonly deletions: string | null;
}

/** The totals of a plan, and its way onto the clusters: a question, the progress, and what became of each change. */
export function ApplyPanel({
  plan,
  scope,
  isFresh,
  reload,
}: {
  plan: ConsolePlan;
  scope: Scope;
  isFresh: boolean;
  reload: () => void;
}): ReactNode {
  const { run, failure, start } = useApplyRun(reload);
  const isRunning = run?.state === "checking" || run?.state === "applying";
  return (
    <>
      <section className="card plan-bar" aria-label="summary">
        <p className="plan-summary">
          <b>{plan.summary}</b>
          <span className="quiet">
            plan <code>{plan.id}</code>
          </span>
        </p>
        {plan.total > 0 && plan.whyNot !== undefined && <p className="quiet">{plan.whyNot}</p>}
        {plan.canApply && (
          <ApplyQuestion
            plan={plan}
            isDisabled={isRunning || !isFresh}
            onYes={() => void start({ fingerprint: plan.fingerprint, ...present(scope) })}
          />
        )}
      </section>
      <FailureNotice failure={failure} />
      {run && <RunReport run={run} />}
    </>
  );
}

function present({ integration, deletions }: Scope): Record<string, string> {
  return { ...(integration === null ? {} : { integration }), ...(deletions === null ? {} : { deletions }) };
}

/** Asks once more, as `tenon apply` does; for deletions, with a box to tick. */
function ApplyQuestion({
  plan: { total, counts },
  isDisabled,
  onYes,
}: {
  plan: ConsolePlan;
  isDisabled: boolean;
  onYes: () => void;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isConfirmed, setIsConfirmed] = useState(false);
  const losses = (counts.delete ?? 0) + (counts.replace ?? 0);
  const objects = total === 1 ? "1 object" : `${total} objects`;
  return (
    <>
      <button
        type="button"
        className="primary"
        disabled={isDisabled}
        onClick={() => {
          setIsConfirmed(false);
          dialog.current?.showModal();
        }}
      >
        Apply …
      </button>
      <dialog ref={dialog} aria-labelledby="apply-question">
        <h2 id="apply-question">Change {objects}?</h2>
        <p>It is done with your rights, and written to the log and the history with your name.</p>
        {losses > 0 && (
          <label className="tick">
            <input type="checkbox" checked={isConfirmed} onChange={({ target }) => setIsConfirmed(target.checked)} />
            Delete {losses === 1 ? "1 object" : `${losses} objects`}
          </label>
        )}
        <p className="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="button"
            className="primary"
            disabled={losses > 0 && !isConfirmed}
            onClick={() => {
              dialog.current?.close();
              onYes();
            }}
          >
            Apply
          </button>
        </p>
      </dialog>
    </>
  );
}

function RunReport({ run }: { run: ApplyAnswer }): ReactNode {
  const { state, done, total, finished, waiting, outcomes, summary, error, next } = run;
  if (state === "changed") {
    return (
      <NoticeBox tone="info">
        <strong>The plan has changed since you read it, and nothing was applied.</strong> This is the plan of now.
      </NoticeBox>
    );
  }
  const others = outcomes.filter((each) => each.state !== "done");
  return (
    <section className={`card story-card story-${tone(state)}`} aria-label="apply">
      <div role="status">
        <h2>{describeState(run)}</h2>
      </div>
      {state === "applying" && (
        <progress max={total} value={finished} aria-label="changes that are over">
          {finished} of {total}
        </progress>
      )}
      {waiting.map((each) => (
        <p key={each}>waits for {each}</p>
      ))}
      {summary !== undefined && done < total && <p>{summary}</p>}
      {error !== undefined && (
        <p>
          <b>{error}</b> {next}
        </p>
      )}
      {others.length > 0 && (
        <table className="rows">
          <caption className="hidden">what was not done</caption>
          <thead>
            <tr>
              {["state", "change", "where", "object", "why not"].map((column) => (
                <th scope="col" key={column}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {others.map((each) => (
              <tr key={`${each.cluster}/${each.namespace} ${each.kind} ${each.name}`}>
                <td data-title="state">
                  <span className={`label label-${each.state === "skipped" ? "tenon" : "person"}`}>{each.state}</span>
                </td>
                <td data-title="change" className="cell">
                  {each.action}
                </td>
                <td data-title="where" className="cell">
                  {each.cluster}/{each.namespace}
                </td>
                <td data-title="object" className="cell">
                  {each.kind} {each.name}
                </td>
                <td data-title="why not" className="story">
                  <span>{each.reason}</span>
                  {each.next !== undefined &&
                    (each.next.includes("\n") ? (
                      <details>
                        <summary>how to allow it</summary>
                        <pre tabIndex={0}>{each.next}</pre>
                      </details>
                    ) : (
                      <span className="next">{each.next}</span>
                    ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function tone(state: ApplyAnswer["state"]): "person" | "tenon" | "nothing" {
  if (state === "failed") return "person";
  return state === "done" ? "nothing" : "tenon";
}

function describeState({ state, done, finished, total }: ApplyAnswer): string {
  if (state === "checking") return "Planning once more …";
  if (state === "applying") return `Applying: ${finished} of ${total}`;
  if (state === "done") return `Applied: ${done} of ${total} changes`;
  return done === 0 ? "Nothing was applied" : `Applied in part: ${done} of ${total} changes`;
}

interface FollowedRun {
  readonly run: ApplyAnswer | undefined;
  readonly failure: ServerFailure | undefined;
  readonly start: (request: Readonly<Record<string, string>>) => Promise<void>;
}

/** One application of a plan, followed to its end; the plan is then made again. */
function useApplyRun(reload: () => void): FollowedRun {
  const [run, setRun] = useState<ApplyAnswer>();
  const [failure, setFailure] = useState<ServerFailure>();
  const [turn, setTurn] = useState(0);
  const isRunning = run?.state === "checking" || run?.state === "applying";
  const id = run?.id;

  const follow = useCallback(
    async (runId: string): Promise<void> => {
      try {
        const answer = await callServer(`/api/plan/applied/${runId}`, ApplyAnswer);
        setRun(answer);
        setFailure(undefined);
        if (answer.state !== "checking" && answer.state !== "applying") reload();
      } catch (error) {
        const problem = failureOf(error);
        setFailure(problem);
        // The session has ended, or the console was started again.
        if (problem.status >= 400 && problem.status < 500) setRun(undefined);
      }
      setTurn((before) => before + 1);
    },
    [reload],
  );

  useEffect(() => {
    if (!isRunning || id === undefined) return undefined;
    const waiting = setTimeout(() => void follow(id), pollMs);
    return () => clearTimeout(waiting);
  }, [id, isRunning, turn, follow]);

  async function start(request: Readonly<Record<string, string>>): Promise<void> {
    setFailure(undefined);
    setRun(undefined);
    try {
      setRun(await callServer("/api/plan/apply", ApplyAnswer, { method: "POST", body: request }));
    } catch (error) {
      setFailure(failureOf(error));
    }
  }

  return { run, failure, start };
}

function failureOf(error: unknown): ServerFailure {
  return error instanceof ServerFailure ? error : new ServerFailure(0, String(error));
}
