import type { Hono } from "hono";
import { compareText } from "#base";
import { ApiError, keyOf, type KubeObject } from "#kube";
import {
  environmentsOf,
  type EnvironmentView,
  findRollouts,
  knownDigests,
  type LiveRollout,
  Propagation,
} from "#promotion";
import { consoleRoutes } from "./console-api.ts";
import { type EnvironmentAnswer, type EnvironmentCell, EnvironmentQuery } from "./environment-api.ts";
import { personStages } from "./object-rows.ts";
import type { Person } from "./person.ts";
import type { WithSession } from "./plan-routes.ts";
import { parseInput } from "./refused.ts";

/** Where each digest runs: the value that `tenon get environments` prints, read as the person. */
export function addEnvironmentRoutes(app: Hono, withSession: WithSession): void {
  app.get(consoleRoutes.environments.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const query = parseInput(EnvironmentQuery, context.req.query());
      const list = person.list("propagations");
      await list.ready(signal);
      const all = list.objects().toSorted((one, other) => compareText(keyOf(one), keyOf(other)));
      const objects = all.filter(isValid);
      const { rollouts, unreadable } = await ownRollouts(objects, person, signal);
      const views = objects.flatMap((object) => environmentsOf(object, rollouts));
      const problem =
        list.absent ??
        list.problem ??
        (unreadable.length === 0
          ? undefined
          : `you may not list the workloads of ${unreadable.join(", ")}: what runs there is as Tenon last saw it`);
      return { ...queryEnvironments(views, query), ...(problem === undefined ? {} : { problem }) };
    }),
  );
}

interface OwnRollouts {
  readonly rollouts: readonly LiveRollout[];
  /** Namespaces whose workloads the person may not list. */
  readonly unreadable: readonly string[];
}

/** Of the whole cluster, or of the namespaces of the propagations where the person may list workloads. */
async function ownRollouts(
  objects: readonly KubeObject[],
  { client }: Person,
  signal: AbortSignal,
): Promise<OwnRollouts> {
  try {
    return { rollouts: await findRollouts(digestsIn(objects), undefined, client, signal), unreadable: [] };
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  const unreadable: string[] = [];
  const rollouts: LiveRollout[] = [];
  for (const [namespace, own] of Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? "")) {
    try {
      rollouts.push(...(await findRollouts(digestsIn(own), namespace, client, signal)));
    } catch (error) {
      if (!isForbidden(error)) throw error;
      unreadable.push(namespace);
    }
  }
  return { rollouts, unreadable };
}

/** One that is not is among what needs attention. */
function isValid(object: KubeObject): boolean {
  try {
    Propagation.parse(object);
    return true;
  } catch {
    return false;
  }
}

function digestsIn(propagations: readonly KubeObject[]): Set<string> {
  return new Set(propagations.flatMap((object) => [...knownDigests(Propagation.parse(object))]));
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.isForbidden;
}

/** The views of a query, as a table for each propagation: components by environments. */
export function queryEnvironments(
  views: readonly EnvironmentView[],
  { search, namespace, environment, only, offset, limit }: EnvironmentQuery,
): Omit<EnvironmentAnswer, "problem"> {
  const text = search?.toLowerCase();
  const isMeant = (view: EnvironmentView): boolean =>
    (namespace === undefined || view.namespace === namespace) &&
    (environment === undefined || view.environment === environment);
  const groups = [...Map.groupBy(views.filter(isMeant), (view) => `${view.namespace}/${view.propagation}`).values()]
    .map((own) => groupOf(own, (cells) => matches(cells, text) && (only === undefined || cells.some(isBehind))))
    .filter(({ components }) => components.length > 0);
  return {
    groups: groups.slice(offset, offset + limit),
    total: groups.length,
    namespaces: [...new Set(views.map((view) => view.namespace))].toSorted(compareText),
    environments: [...new Set(views.map((view) => view.environment))],
  };
}

function groupOf(
  views: readonly EnvironmentView[],
  isShown: (cells: readonly EnvironmentView[]) => boolean,
): EnvironmentAnswer["groups"][number] {
  const components = [...Map.groupBy(views, ({ image }) => image).values()].filter(isShown);
  return {
    namespace: views[0]?.namespace ?? "",
    propagation: views[0]?.propagation ?? "",
    environments: [...new Set(views.map(({ environment }) => environment))],
    components: components.map(componentOf),
  };
}

function componentOf(cells: readonly EnvironmentView[]): EnvironmentAnswer["groups"][number]["components"][number] {
  const [first] = cells;
  const released = first?.released;
  return {
    component: first?.component ?? "",
    image: first?.image ?? "",
    ...(released === undefined ? {} : { released }),
    cells: cells.map(cellOf),
  };
}

function matches(cells: readonly EnvironmentView[], text: string | undefined): boolean {
  if (text === undefined) return true;
  return cells.some((view) => {
    const { namespace, propagation, environment, component, image, state, released, merged, running } = view;
    const words = [`${namespace}/${propagation}`, environment, component, image, state, released, merged, running];
    return words.join("\n").toLowerCase().includes(text);
  });
}

function isBehind({ released, running }: EnvironmentView): boolean {
  return released !== undefined && running !== released;
}

function cellOf(view: EnvironmentView): EnvironmentCell {
  const { environment, state, merged, mergedSince, running, runningSince, where } = view;
  return {
    environment,
    state,
    ...(merged === undefined ? {} : { merged }),
    ...(mergedSince === undefined ? {} : { mergedSince }),
    ...(running === undefined ? {} : { running }),
    ...(runningSince === undefined ? {} : { runningSince }),
    where: [...where],
    isBehind: isBehind(view),
    waitsOn: personStages.has(state) ? "person" : isBehind(view) ? "tenon" : "nothing",
  };
}
