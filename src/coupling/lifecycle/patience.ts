import { parseDuration } from "#base";
import type { KubeObject } from "#kube";
import { annotations } from "../kinds/names.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

type PatienceDeps = Pick<CouplingDeps, "namespace" | "log" | "clock">;

const defaultTimeoutMs = 5 * 60_000;

/** Whoever waits for an apparatus is woken; this is for the case that nobody does. */
export const waitMs = 60_000;

/**
 * When a failing decoupling is given up, in milliseconds since 1970: nobody's deletion may depend on another's mistakes, nor
 * their move. Undefined while nobody waits for it.
 */
export function giveUpAt(
  plug: KubeObject,
  socket: KubeObject | undefined,
  failingSince: string | undefined,
  deps: PatienceDeps,
): number | undefined {
  const ends = [plug, socket].flatMap((object) => (object ? (deletionEnd(object, deps) ?? []) : []));
  if (failingSince !== undefined) ends.push(Date.parse(failingSince) + timeoutOf(plug, deps));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** What is being deleted with all of its namespace waits for nobody. */
function deletionEnd(object: KubeObject, deps: PatienceDeps): number | undefined {
  const { namespace = "", deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const isTerminating = deps.namespace(namespace)?.metadata.deletionTimestamp !== undefined;
  return isTerminating || isForced(object) ? 0 : Date.parse(deletionTimestamp) + timeoutOf(object, deps);
}

/** Its owner wants it gone at once, whatever is left. */
export function isForced({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.annotations?.[annotations.forceDelete] === "true";
}

function timeoutOf({ kind, metadata }: KubeObject, { log }: PatienceDeps): number {
  const text = metadata.annotations?.[annotations.decoupleTimeout];
  if (text === undefined) return defaultTimeoutMs;
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  const object = `${kind} ${metadata.namespace}/${metadata.name}`;
  log.warn("no duration; the default is used", { object, annotation: annotations.decoupleTimeout, value: text });
  return defaultTimeoutMs;
}
