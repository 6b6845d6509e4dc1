import type { Hono } from "hono";
import { compareText, describeError } from "#base";
import type { HistoryCounts, HistoryEntry } from "#integrations";
import { ApiError } from "#kube";
import { type ActivityAnswer, ActivityQuery, type AppliedEntry } from "./activity-api.ts";
import { consoleRoutes } from "./console-api.ts";
import { requireDataRight } from "./data-right.ts";
import { type DataRoutesOptions, requireData } from "./plan-routes.ts";
import { parseInput, Refused, withoutRole } from "./refused.ts";

const mostObjects = 100;

/** What was applied: the value that `tenon history` prints, read as the person. */
export function addActivityRoutes(
  app: Hono,
  { data, withSession }: Pick<DataRoutesOptions, "data" | "withSession">,
): void {
  app.get(consoleRoutes.activity.path, (context) =>
    withSession(context, async ({ person }, signal): Promise<ActivityAnswer> => {
      const query = parseInput(ActivityQuery, context.req.query());
      try {
        const shown = requireData(data);
        await requireDataRight(person, signal);
        const history = await shown.history(person.client);
        if (!history) {
          const next = "set --tenon-namespace or --state-file, or one of them in tenon.yaml";
          return { ...noEntries, problem: "this console has no place where the history is kept", next };
        }
        return queryEntries(await history.read(signal), query);
      } catch (error) {
        if (error instanceof Refused) {
          const { message, next } = error;
          return { ...noEntries, problem: message, ...(next === undefined ? {} : { next }) };
        }
        if (error instanceof ApiError && error.isForbidden) {
          return { ...noEntries, problem: withoutRole(describeError(error)) };
        }
        throw error;
      }
    }),
  );
}

const noEntries: ActivityAnswer = { applied: [], total: 0, integrations: [] };

/** The newest first. */
export function queryEntries(
  entries: readonly HistoryEntry[],
  { integration, offset, limit }: ActivityQuery,
): ActivityAnswer {
  const found = entries
    .filter(({ integrations }) => integration === undefined || integrations.includes(integration))
    .toReversed();
  return {
    applied: found.slice(offset, offset + limit).map(showEntry),
    total: found.length,
    integrations: [...new Set(entries.flatMap(({ integrations }) => integrations))].toSorted(compareText),
  };
}

function showEntry(entry: HistoryEntry): AppliedEntry {
  const { id, at, lastAt = at, times = 1, by, plan, source, isSuccess, counts, rollbackTo, objects } = entry;
  return {
    id,
    at: lastAt,
    times,
    by,
    plan,
    data: source.location,
    ...(source.commit === undefined ? {} : { commit: source.commit }),
    isSuccess,
    summary: sumUpCounts(counts),
    ...(rollbackTo === undefined ? {} : { rollbackTo }),
    integrations: [...entry.integrations],
    objects: objects
      .slice(0, mostObjects)
      .map(({ cluster, namespace, kind, name, action, state }) => ({ cluster, namespace, kind, name, action, state })),
    omitted: (entry.omitted ?? 0) + Math.max(0, objects.length - mostObjects),
  };
}

function sumUpCounts({ created, updated, adopted, replaced, deleted, failed, heldBack }: HistoryCounts): string {
  const parts = [
    [created, "created"],
    [updated, "updated"],
    [adopted, "adopted"],
    [replaced, "replaced"],
    [deleted, "deleted"],
    [failed, "failed"],
    [heldBack, "held back"],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return said.join(", ") || "nothing changed";
}
