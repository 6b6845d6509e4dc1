import { z } from "zod";
import { InputError } from "#base";

const Choice = z.object({
  installCrds: z.boolean().default(false),
  allowClusterScoped: z.boolean().default(false),
  leaderElection: z.boolean().default(true),
});

/** How the job `couple` runs. */
export interface CouplingSettings extends z.infer<typeof Choice> {
  /** The only namespace whose plugs and sockets are looked at; undefined is all. */
  readonly watched: string | undefined;
  /** How many plugs, and how many sockets, at once; undefined is as many as are good. */
  readonly concurrency: number | undefined;
}

const mostAtOnce = 1_000;

/** From the options of `tenon run` and the variables that integration-operator knows. */
export function readCouplingSettings(options: unknown, env: NodeJS.ProcessEnv): CouplingSettings {
  for (const name of ["DEBUG_PLUG_ENDPOINT", "DEBUG_SOCKET_ENDPOINT"]) {
    if (env[name]) throw new InputError(`${name} is set, and this Tenon calls no apparatus`, { next: "unset it" });
  }
  return { ...Choice.parse(options), watched: readWatched(env), concurrency: readConcurrency(env) };
}

function readWatched({ WATCH_NAMESPACE = "" }: NodeJS.ProcessEnv): string | undefined {
  const [first, ...others] = WATCH_NAMESPACE.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (others.length === 0) return first;
  throw new InputError("names several namespaces, and Tenon watches one or all", {
    where: `WATCH_NAMESPACE=${WATCH_NAMESPACE}`,
    next: "leave it empty, or run one Tenon for each namespace, with a Lease of its own by --namespace",
  });
}

function readConcurrency({ MAX_CONCURRENT_RECONCILES: text = "" }: NodeJS.ProcessEnv): number | undefined {
  if (text === "") return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count > 0 && count <= mostAtOnce) return count;
  throw new InputError("is no number of workers", {
    where: `MAX_CONCURRENT_RECONCILES=${text}`,
    next: `give a whole number from 1 to ${mostAtOnce}, or leave it empty`,
  });
}
