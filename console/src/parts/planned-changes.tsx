import type { ReactNode } from "react";
import { type ConsoleAction, textOfChange } from "../../../src/server/console/plan-api.ts";
import { Link } from "../use-route.tsx";
import { EmptyState } from "./notices.tsx";

const signs = { create: "+", update: "~", replace: "±", adopt: "=", delete: "−" } as const;
/** A plan with so few fields is shown unfolded. */
const fewFields = 80;

/** The writes of a plan by namespace, each with the fields that change, to fold. */
export function PlannedChanges({
  actions,
  search,
  change,
  isOpen,
}: {
  actions: readonly ConsoleAction[];
  search: string;
  change: string;
  isOpen: boolean | undefined;
}): ReactNode {
  const text = search.toLowerCase();
  const shown = actions.filter(
    (action) => (change === "" || action.action === change) && (text === "" || textOfChange(action).includes(text)),
  );
  const fields = shown.reduce((sum, { diff }) => sum + diff.length, 0);
  if (actions.length > 0 && shown.length === 0) return <EmptyState title="No change matches" />;
  const places = Map.groupBy(shown, ({ cluster, namespace }) => `${cluster}/${namespace}`);
  return [...places].map(([place, own]) => (
    <section className="card changes" key={place} aria-label={place}>
      <h2>
        {place} <span className="count">{own.length}</span>
      </h2>
      {own.map((action) => (
        <Change
          key={`${action.kind}/${action.name}`}
          action={action}
          isOpen={isOpen ?? (fields <= fewFields || text !== "")}
        />
      ))}
    </section>
  ));
}

function Change({ action, isOpen }: { action: ConsoleAction; isOpen: boolean }): ReactNode {
  const { diff, waitsFor } = action;
  if (diff.length === 0 && waitsFor.length === 0) {
    return (
      <div className="change change-bare" tabIndex={-1} data-row>
        <ChangeTitle action={action} />
      </div>
    );
  }
  return (
    <details className="change" open={isOpen}>
      <summary data-row>
        <ChangeTitle action={action} />
        <span className="count">{diff.length === 1 ? "1 field" : `${diff.length} fields`}</span>
      </summary>
      {waitsFor.map((each) => (
        <p key={each} className="quiet">
          waits for {each}
        </p>
      ))}
      {diff.length > 0 && (
        <table className="diff">
          <thead className="hidden">
            <tr>
              <th scope="col">field</th>
              <th scope="col">before and after</th>
            </tr>
          </thead>
          <tbody>
            {diff.map(({ path, before, after, manager }) => (
              <tr key={path}>
                <th scope="row">{path}</th>
                <td>
                  {before !== undefined && <del>{before}</del>}
                  {after !== undefined && <ins>{after}</ins>}
                  {manager !== undefined && <span className="quiet">set by {manager}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function ChangeTitle({ action: { action, kind, name, reason, integration } }: { action: ConsoleAction }): ReactNode {
  return (
    <>
      <span className={`sign sign-${action}`} title={action}>
        <span aria-hidden="true">{signs[action]}</span>
        <span className="hidden">{action}</span>
      </span>
      <span className="change-name">
        <span className="namespace">{kind}</span> {name}
      </span>
      <span className="quiet">{reason}</span>
      {integration !== undefined && integration !== name && (
        <Link className="change-of" to={`/plan?integration=${encodeURIComponent(integration)}`}>
          {integration}
        </Link>
      )}
    </>
  );
}
