import { join } from "node:path";
import { InputError, packageFile, parseDuration } from "#base";
import { openQueryableSource, type ReadableSource } from "#bundle";
import {
  type ClusterOptions,
  type ClusterReach,
  configMapMemory,
  configMapText,
  createRefResolver,
  desiredFolder,
  type DesiredOptions,
  type DesiredStore,
  fileText,
  type History,
  historyIn,
  historyName,
  type PlanDesiredOptions,
  type NamespaceMemory,
  type ParameterGiver,
  parseClusterContexts,
  parseImageTagFromRef,
  parseRollout,
  publishedCode,
  readManagerEnvironment,
  type Rollout,
  stateFile,
} from "#integrations";
import { loadChart } from "#template";
import type { TenonConfig } from "../control/tenon-config.ts";
import { readToken } from "../data/read-token.ts";
import type { Shell } from "../shell.ts";
import type { DataChoice, LimitChoice, ReachChoice, RenderingChoice, StateChoice } from "./manage-commands.ts";
import { type HomeCluster, ownNamespace } from "../control/home-cluster.ts";
import { openTokenStore } from "./open-token-store.ts";

/** Opens the chosen data; a function, because a plan may compare it with other data. */
export async function openData(
  choice: DataChoice,
  config: TenonConfig,
  shell: Shell,
): Promise<(location?: string) => ReadableSource> {
  const token = await readToken(choice.tokenFile, shell.env);
  const schemas = choice.schemas ?? config.schemas;
  const options = {
    env: shell.env,
    acceptsUnreadable: true,
    ...(schemas === undefined ? {} : { schemas }),
    ...(token === undefined ? {} : { token }),
  };
  return (location = choice.data ?? config.data) => {
    if (location !== undefined) return openQueryableSource(location, options);
    throw new InputError("no data given", {
      next: "name a directory, bundle file, REPOSITORY#REF or server with --data, or as `data` in tenon.yaml",
    });
  };
}

/** Which part of the data. Options override qontract-reconcile's variables, which override `tenon.yaml`. */
export function dataSelection(
  choice: DataChoice,
  config: TenonConfig,
  { env }: Shell,
): Pick<DesiredOptions, "environment" | "upstream" | "integration" | "cluster"> {
  const variables = readManagerEnvironment(env);
  return {
    environment: choice.environment ?? variables.environment ?? config.environment,
    upstream: choice.upstream ?? variables.upstream ?? config.upstream,
    integration: unlessEmpty(choice.integration) ?? unlessEmpty(config.only?.integrations),
    cluster: unlessEmpty(choice.cluster) ?? unlessEmpty(config.only?.clusters),
  };
}

/** The options for rendering, created for each run, because each resolves git refs once. The chart is loaded only once. */
export function desireOptions(
  choice: DataChoice & RenderingChoice,
  config: TenonConfig,
  shell: Shell,
): () => DesiredOptions {
  const variables = readManagerEnvironment(shell.env);
  const chosen = unlessEmpty(choice.imageTagFromRef);
  const refs = chosen ?? unlessEmpty(variables.imageTagFromRef);
  const options = {
    ...dataSelection(choice, config, shell),
    namespace: choice.namespace === undefined ? undefined : [choice.namespace],
    chart: loadChart(choice.chart ?? config.chart ?? packageFile("charts", "integrations")),
    image: choice.image ?? variables.image ?? config.image,
    imageFrom: giverOf(choice.image, variables.image, ["--image", "INTEGRATIONS_MANAGER_IMAGE", "image"]),
    imageTagFromRef: refs ? parseImageTagFromRef(refs) : new Map(Object.entries(config.imageTagFromRef ?? {})),
    imageTagFrom: giverOf(chosen, refs, [
      "--image-tag-from-ref",
      "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF",
      "imageTagFromRef",
    ]),
    processEnv: shell.env,
  };
  return () => ({ ...options, resolveRef: createRefResolver() });
}

/** Where desired states outlive a command: beside the compile cache of the published form. */
export function openKeptDesired({ XDG_CACHE_HOME, HOME }: Shell["env"]): DesiredStore | undefined {
  const code = publishedCode();
  const cache = XDG_CACHE_HOME || (HOME && join(HOME, ".cache"));
  return code === undefined || !cache ? undefined : desiredFolder(join(cache, "tenon", "desired"), code);
}

/** Who gives a setting its value, by the names that the option, the variable and the setting of `tenon.yaml` have. */
function giverOf(
  option: unknown,
  variable: unknown,
  [flag, name, setting]: readonly [string, string, string],
): ParameterGiver {
  if (option !== undefined) return { source: "command line", detail: flag };
  if (variable !== undefined) return { source: "process environment", detail: name };
  return { source: "settings file", detail: `${setting} of tenon.yaml` };
}

/** An empty list counts as unset. */
function unlessEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

/** How to connect to the clusters of the data. If an option names a context, the contexts of `tenon.yaml` do not count. */
export async function clusterReach(
  choice: ReachChoice,
  config: TenonConfig,
  shell: Shell,
  home: () => Promise<HomeCluster>,
): Promise<ClusterOptions> {
  const contexts = parseClusterContexts(choice.clusterContext);
  const isGiven = choice.context !== undefined || contexts.size > 0;
  const context = isGiven ? choice.context : config.context;
  const configured = new Map<string, ClusterReach>(Object.entries(config.clusters ?? {}));
  const store = choice.tokenStore ?? config.tokenStore;
  return {
    everyCluster: context === undefined ? undefined : { context },
    reaches: isGiven ? contexts : configured,
    kubeconfig: choice.kubeconfig ?? config.kubeconfig,
    tokens: store === undefined ? undefined : await openTokenStore(store, shell.env, home),
    side: choice.internal ? "internal" : choice.external ? "external" : config.side,
    env: shell.env,
  };
}

/** Where the list of managed namespaces is: in a file, or in Tenon's own namespace if one is named. */
export async function openNamespaceMemory(...given: StateArguments): Promise<NamespaceMemory | undefined> {
  const place = await placeOfState(...given);
  if (place === undefined) return undefined;
  return "file" in place ? stateFile(place.file) : configMapMemory(place.client, place);
}

/** The history of applied plans; `state.json` has `state.history.json` beside it. */
export async function openHistory(...given: StateArguments): Promise<History | undefined> {
  const place = await placeOfState(...given);
  if (place === undefined) return undefined;
  if ("file" in place) return historyIn(fileText(`${place.file.replace(/\.json$/, "")}.history.json`));
  const { client, namespace } = place;
  return historyIn(configMapText(client, { namespace, name: historyName, key: "history" }));
}

type StateArguments = [choice: StateChoice, config: TenonConfig, shell: Shell, home: () => Promise<HomeOfState>];
type HomeOfState = Pick<HomeCluster, "client" | "namespace">;
type PlaceOfState = { readonly file: string } | HomeOfState;

async function placeOfState(...[choice, config, shell, home]: StateArguments): Promise<PlaceOfState | undefined> {
  const file = choice.stateFile ?? (choice.tenonNamespace === undefined ? config.stateFile : undefined);
  if (file !== undefined) return { file };
  if (ownNamespace(choice, config, shell.env) === undefined) return undefined;
  const { client, namespace } = await home();
  return { client, namespace };
}

/** What may be changed. */
export function planLimits(
  choice: LimitChoice,
  config: TenonConfig,
): Pick<
  PlanDesiredOptions,
  | "takeOverFrom"
  | "managedKinds"
  | "ignoreDifferences"
  | "deletions"
  | "deletionsConfirmed"
  | "createsNamespaces"
  | "rollout"
> {
  const count = choice.maxDeletions ?? config.maxDeletions;
  return {
    takeOverFrom: unlessEmpty(choice.takeOverFrom) ?? config.takeOverFrom,
    managedKinds: unlessEmpty(choice.managedKinds) ?? unlessEmpty(config.managedKinds),
    ignoreDifferences: config.ignoreDifferences,
    ...(count === undefined ? {} : { deletions: { count } }),
    deletionsConfirmed: choice.confirmDeletions,
    createsNamespaces: choice.createNamespaces || config.createNamespaces,
    rollout: rolloutOf(choice, config),
  };
}

function rolloutOf({ rollout }: LimitChoice, config: TenonConfig): Rollout | undefined {
  if (rollout !== undefined) return parseRollout(rollout);
  if (!config.rollout) return undefined;
  const { canary, soak = "0s" } = config.rollout;
  return { canary, soakMs: parseDuration(soak) ?? 0 };
}

/** How long something may take to become healthy that others wait for. */
export function healthyWithin(given: string | undefined, config: TenonConfig): number | undefined {
  const text = given ?? config.healthyWithin;
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InputError(`expected a duration such as 5m, got ${JSON.stringify(text)}`, { where: "--healthy-within" });
}
