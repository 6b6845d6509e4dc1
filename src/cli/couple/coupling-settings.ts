import { z } from "zod";
import { InputError } from "#base";
import { type ApparatusSettings, leaseName } from "#coupling";
import type { NamespaceChoice } from "#runtime";

const Choice = z.object({
  installCrds: z.boolean().default(false),
  allowClusterScoped: z.boolean().default(false),
  leaderElection: z.boolean().default(true),
  lease: z.string().default(leaseName),
});

const NamespaceOptions = z.object({
  namespaces: z.string().exactOptional(),
  namespaceSelector: z.string().exactOptional(),
});

const ApparatusChoice = z.object({
  apparatusEndpointAllow: z.array(z.string()).default([]),
  apparatusTokenAccount: z.string().exactOptional(),
  clusterDomain: z.string().default("cluster.local"),
  dev: z.boolean().default(false),
});

/** How the job `couple` runs. */
export interface CouplingSettings extends z.infer<typeof Choice> {
  /** The namespaces to work in; undefined for all. */
  readonly namespaces: NamespaceChoice | undefined;
  /** How many plugs, and how many sockets, to reconcile at once; undefined for the default. */
  readonly concurrency: number | undefined;
  readonly apparatus: Pick<ApparatusSettings, "allow" | "clusterDomain" | "debugEndpoints" | "tokenAccount">;
}

const mostAtOnce = 1_000;

/** From the options of `tenon run` and the variables of integration-operator. */
export function readCouplingSettings(options: unknown, env: NodeJS.ProcessEnv): CouplingSettings {
  return {
    ...Choice.parse(options),
    namespaces: readNamespaces(NamespaceOptions.parse(options), env),
    concurrency: readConcurrency(env),
    apparatus: readApparatus(ApparatusChoice.parse(options), env),
  };
}

function readApparatus(
  { apparatusEndpointAllow, apparatusTokenAccount, clusterDomain, dev }: z.infer<typeof ApparatusChoice>,
  { DEBUG_PLUG_ENDPOINT: plug = "", DEBUG_SOCKET_ENDPOINT: socket = "" }: NodeJS.ProcessEnv,
): CouplingSettings["apparatus"] {
  const given = Object.entries({ plug, socket }).filter(([, endpoint]) => endpoint !== "");
  if (given.length > 0 && !dev) {
    throw new InputError("DEBUG_PLUG_ENDPOINT and DEBUG_SOCKET_ENDPOINT send every config to one place", {
      next: "unset them, or use --dev",
    });
  }
  for (const pattern of apparatusEndpointAllow) checkPattern(pattern);
  const tokenAccount = apparatusTokenAccount === undefined ? {} : { tokenAccount: readAccount(apparatusTokenAccount) };
  return {
    allow: apparatusEndpointAllow,
    clusterDomain: clusterDomain.replace(/^\.|\.$/g, ""),
    debugEndpoints: Object.fromEntries(given),
    ...tokenAccount,
  };
}

function checkPattern(pattern: string): void {
  if (/^(\*\.)?[a-z0-9]([-.a-z0-9]*[a-z0-9])?(:\d+)?$/i.test(pattern) || /^\[[0-9a-f:.]+\](:\d+)?$/i.test(pattern))
    return;
  throw new InputError("not a valid host", {
    where: `--apparatus-endpoint-allow ${pattern}`,
    next: "write it like keycloak.example.com, *.example.com or 10.1.2.3:8080",
  });
}

function readAccount(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace !== "" && name !== "" && rest.length === 0) return { namespace, name };
  throw new InputError("not a valid service account", {
    where: `--apparatus-token-account ${text}`,
    next: "write it like NAMESPACE/NAME",
  });
}

function readNamespaces(
  { namespaces, namespaceSelector }: z.infer<typeof NamespaceOptions>,
  { WATCH_NAMESPACE = "" }: NodeJS.ProcessEnv,
): NamespaceChoice | undefined {
  if (namespaceSelector !== undefined) return { selector: readSelector(namespaceSelector) };
  if (namespaces !== undefined) return { names: readNames(namespaces) };
  const watched = WATCH_NAMESPACE.split(",").filter((name) => name.trim() !== "");
  return watched.length === 0 ? undefined : { names: readNames(watched.join(",")) };
}

/** Names of namespaces, separated by commas. */
export function readNames(text: string): string[] {
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  const wrong = names.find((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name));
  if (wrong === undefined) return names;
  throw new InputError(`expected names of namespaces, separated by commas, got ${JSON.stringify(text)}`, {
    where: "--namespaces",
    next: "write it like --namespaces shop,blog; for labels, use --namespace-selector",
  });
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
const requirement = /^(!?[\w./-]+|[\w./-]+ *(==?|!=) *[\w.-]*|[\w./-]+ +(in|notin) *\([\w., -]*\))$/;

/** The API server refuses a selector that is not valid each time, and Tenon would wait for the namespaces. */
function readSelector(text: string): string {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  if (parts.every((part) => requirement.test(part))) return text;
  throw new InputError(`not a valid label selector: ${JSON.stringify(text)}`, {
    where: "--namespace-selector",
    next: "write it like team=shop, team!=shop, or team in (shop, blog)",
  });
}

function readConcurrency({ MAX_CONCURRENT_RECONCILES: text = "" }: NodeJS.ProcessEnv): number | undefined {
  if (text === "") return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count > 0 && count <= mostAtOnce) return count;
  throw new InputError("not a valid number of workers", {
    where: `MAX_CONCURRENT_RECONCILES=${text}`,
    next: `set an integer from 1 to ${mostAtOnce}, or leave it empty`,
  });
}
