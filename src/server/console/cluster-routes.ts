import type { Hono } from "hono";
import { compareText, describeError, InputError, isRecord, Semaphore } from "#base";
import { type ClusterUse, clusterSources, clusterUses, type DataClusterSource, ownSources } from "#integrations";
import type { KubeClient } from "#kube";
import type { ClustersAnswer, ConsoleCluster } from "./cluster-api.ts";
import { consoleRoutes } from "./console-api.ts";
import type { ConsoleData } from "./console-data.ts";
import { requireDataRight } from "./data-right.ts";
import type { Person } from "./person.ts";
import { type DataRoutesOptions, requireData } from "./plan-routes.ts";
import { Refused, withoutRole } from "./refused.ts";

/** A cluster that does not answer does not keep the others from being shown. */
const patienceMs = 10_000;
const openedAtOnce = 8;

/** The clusters of the data, each asked with the credentials that a plan of the person would use. */
export function addClusterRoutes(
  app: Hono,
  { data, withSession }: Pick<DataRoutesOptions, "data" | "withSession">,
): void {
  const places = new Semaphore(openedAtOnce);

  app.get(consoleRoutes.clusters.path, (context) =>
    withSession(context, async ({ person }, signal): Promise<ClustersAnswer> => {
      try {
        const shown = requireData(data);
        await requireDataRight(person, signal);
        const uses = await clusterUses(await shown.source.load(signal), shown.desire(), signal);
        const sources = (await reachOf(person, shown))(uses.map(({ cluster }) => cluster));
        const clusters = await Promise.all(
          sources.map((source, at) => places.run(() => askCluster(source, uses[at], signal), signal)),
        );
        return { clusters: clusters.toSorted(compareClusters) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const { message: problem, next } = error;
        return { clusters: [await ownCluster(person, signal)], problem, ...(next === undefined ? {} : { next }) };
      }
    }),
  );
}

async function reachOf(person: Person, { clusters }: ConsoleData) {
  if (!person.isStarter) return await ownSources(person.access, clusters);
  return (named: readonly ClusterUse["cluster"][]) => clusterSources(named, clusters);
}

async function askCluster(
  { name, endpoint, skip, open }: DataClusterSource,
  use: ClusterUse | undefined,
  signal: AbortSignal,
): Promise<ConsoleCluster> {
  const { namespaces = 0, integrations = 0 } = use ?? {};
  const known = { name, endpoint, namespaces, integrations };
  if (skip !== undefined) return { ...known, state: "LeftOut", waitsOn: "nothing", why: skip };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  try {
    const client = await open(limit);
    try {
      return { ...known, state: "Reachable", waitsOn: "nothing", ...(await versionOf(client, limit)) };
    } finally {
      await client.transport[Symbol.asyncDispose]();
    }
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `no answer in ${patienceMs / 1_000} s` : withoutRole(describeError(error));
    const next = error instanceof InputError ? error.next : undefined;
    return { ...known, state: "Unreachable", waitsOn: "person", why, ...(next === undefined ? {} : { next }) };
  }
}

/** Of a console without data, or of a person who may not see it. */
async function ownCluster({ access, cluster, client }: Person, signal: AbortSignal): Promise<ConsoleCluster> {
  return {
    name: cluster,
    endpoint: access.server.origin,
    state: "Reachable",
    waitsOn: "nothing",
    ...(await versionOf(client, signal)),
    namespaces: 0,
    integrations: 0,
  };
}

async function versionOf({ transport }: KubeClient, signal: AbortSignal): Promise<Pick<ConsoleCluster, "version">> {
  const { body } = await transport.send({ method: "GET", path: "/version" }, signal);
  const read: unknown = JSON.parse(body);
  const version = isRecord(read) ? read["gitVersion"] : undefined;
  return typeof version === "string" ? { version } : {};
}

function compareClusters(one: ConsoleCluster, other: ConsoleCluster): number {
  return Number(other.waitsOn === "person") - Number(one.waitsOn === "person") || compareText(one.name, other.name);
}
