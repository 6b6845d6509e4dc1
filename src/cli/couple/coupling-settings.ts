import { z } from "zod";
import { InputError } from "#base";
import type { ApparatusSettings } from "#coupling";

const Choice = z.object({
  installCrds: z.boolean().default(false),
  allowClusterScoped: z.boolean().default(false),
  leaderElection: z.boolean().default(true),
});

const ApparatusChoice = z.object({
  apparatusEndpointAllow: z.array(z.string()).default([]),
  apparatusTokenAccount: z.string().exactOptional(),
  clusterDomain: z.string().default("cluster.local"),
  dev: z.boolean().default(false),
});

/** How the job `couple` runs. */
export interface CouplingSettings extends z.infer<typeof Choice> {
  /** The only namespace to watch; undefined for all. */
  readonly watched: string | undefined;
  /** How many plugs, and how many sockets, to reconcile at once; undefined for the default. */
  readonly concurrency: number | undefined;
  readonly apparatus: Pick<ApparatusSettings, "allow" | "clusterDomain" | "debugEndpoints" | "tokenAccount">;
}

const mostAtOnce = 1_000;

/** From the options of `tenon run` and the variables of integration-operator. */
export function readCouplingSettings(options: unknown, env: NodeJS.ProcessEnv): CouplingSettings {
  return {
    ...Choice.parse(options),
    watched: readWatched(env),
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

function readWatched({ WATCH_NAMESPACE = "" }: NodeJS.ProcessEnv): string | undefined {
  const [first, ...others] = WATCH_NAMESPACE.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (others.length === 0) return first;
  throw new InputError("expected one namespace or none, got several", {
    where: `WATCH_NAMESPACE=${WATCH_NAMESPACE}`,
    next: "leave it empty, or run one Tenon per namespace, each with its own Lease by --namespace",
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
