import { systemClock } from "#base";
import { isServerAddress, openBundleSource } from "#bundle";
import type { ClusterAccess, KubeClient } from "#kube";
import type { ConsoleData } from "#server";
import { withInstance } from "../cluster/name-cluster.ts";
import { type HomeCluster, openHomeCluster, ownNamespace } from "../control/home-cluster.ts";
import type { TenonConfig } from "../control/tenon-config.ts";
import {
  clusterReach,
  desireOptions,
  healthyWithin,
  openData,
  openHistory,
  openKeptDesired,
  openNamespaceMemory,
  planLimits,
} from "../manage/manage-settings.ts";
import type { PlanningChoice } from "../manage/prepare-plan.ts";
import { nameLocation, RunReports } from "../manage/run-reports.ts";
import type { Shell } from "../shell.ts";

export interface OpenedConsoleData extends AsyncDisposable {
  readonly data: ConsoleData;
}

/** The data that options and `tenon.yaml` name, for the console; undefined if they name none. */
export async function openConsoleData(
  given: PlanningChoice,
  config: TenonConfig,
  access: ClusterAccess,
  shell: Shell,
): Promise<OpenedConsoleData | undefined> {
  const location = given.data ?? config.data;
  if (location === undefined) return undefined;
  const choice = await withInstance(given, config, shell);
  await using opened = new AsyncDisposableStack();
  let home: Promise<HomeCluster> | undefined;
  const openOnce = (): Promise<HomeCluster> =>
    (home ??= openHomeCluster(choice, config, shell).then((each) => opened.use(each)));
  // What a person reads and writes of the state is done with that person's own rights.
  const namespace = ownNamespace(choice, config, shell.env) ?? access.namespace;
  const homeOf = (client: KubeClient) => async () => ({ client, namespace });
  const source = (await openData(choice, config, shell))();
  const schemas = choice.schemas ?? config.schemas;
  const options = { env: shell.env, ...(schemas === undefined ? {} : { schemas }) };
  const shown = nameLocation(location);
  const data: ConsoleData = {
    location: shown,
    source,
    files: isServerAddress(location)
      ? undefined
      : (ref) => openBundleSource(ref === undefined ? location : atRef(location, ref), options),
    desire: desireOptions(choice, config, shell),
    kept: openKeptDesired(shell.env),
    limits: planLimits(choice, config),
    clusters: await clusterReach(choice, config, shell, openOnce),
    memory: (client) => openNamespaceMemory(choice, config, shell, homeOf(client)),
    history: (client) => openHistory(choice, config, shell, homeOf(client)),
    reports: ({ user, client }, warn) =>
      new RunReports({
        history: () => openHistory(choice, config, shell, homeOf(client)),
        notifications: config.notifications,
        location,
        by: user,
        clock: systemClock,
        warn: (what, problem) => warn(`${what}: ${problem}`),
        shell,
      }),
    healthyWithinMs: healthyWithin(undefined, config),
  };
  const kept = opened.move();
  return { data, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The same folder of the same repository at another ref. */
function atRef(location: string, ref: string): string {
  const [repository = "", fragment = ""] = location.split("#");
  const at = fragment.indexOf(":");
  return `${repository}#${ref}${at < 0 ? "" : fragment.slice(at)}`;
}
