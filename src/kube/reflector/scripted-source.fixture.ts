import { once } from "node:events";
import type { KubeObject } from "../client/object.ts";
import type { ReflectorSource } from "./reflector-source.ts";
import type { WatchEvent } from "../client/watch-events.ts";

export type ScriptedPage = { readonly items: readonly KubeObject[]; readonly resourceVersion: string };
type Script<Item> = (signal: AbortSignal) => AsyncGenerator<Item>;

/** For tests: answers each call with the next script, and stays silent when none is left. */
export class ScriptedSource implements ReflectorSource {
  /** What was asked, like `list`, `watch initial` or `watch 12`. */
  readonly calls: string[] = [];
  readonly timeouts: (number | undefined)[] = [];
  readonly #lists: Script<ScriptedPage>[] = [];
  readonly #watches: Script<WatchEvent>[] = [];

  onList(script: Script<ScriptedPage>): this {
    this.#lists.push(script);
    return this;
  }

  onWatch(script: Script<WatchEvent>): this {
    this.#watches.push(script);
    return this;
  }

  pages: ReflectorSource["pages"] = (_selection, { limit }, signal) => {
    this.calls.push(limit === 1000 ? "list" : `list ${limit}`);
    return (this.#lists.shift() ?? silent)(signal);
  };

  watch: ReflectorSource["watch"] = (_selection, options, signal) => {
    this.calls.push(`watch ${options.sendInitialEvents ? "initial" : options.resourceVersion}`);
    this.timeouts.push(options.timeoutSeconds);
    return (this.#watches.shift() ?? silent)(signal);
  };
}

/** Yields nothing until the signal is aborted, then fails with its reason. */
export async function* silent<Item>(signal: AbortSignal): AsyncGenerator<Item> {
  if (!signal.aborted) await once(signal, "abort");
  yield await Promise.reject<Item>(signal.reason);
}

export function silentAfter(...events: WatchEvent[]): Script<WatchEvent> {
  return async function* (signal) {
    yield* events;
    yield* silent(signal);
  };
}

export function endsAfter(...events: WatchEvent[]): Script<WatchEvent> {
  return async function* () {
    yield* events;
  };
}

export function failsAfter(error: Error, ...events: WatchEvent[]): Script<WatchEvent> {
  return async function* () {
    yield* events;
    throw error;
  };
}

export function page(version: number, ...items: KubeObject[]): Script<ScriptedPage> {
  return async function* () {
    yield { items, resourceVersion: `${version}` };
  };
}

export function thing(name: string, version: number, uid = `uid-${name}`): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace: "n", name, uid, resourceVersion: `${version}` } };
}

export function added(name: string, version: number, uid?: string): WatchEvent {
  return { type: "ADDED", object: thing(name, version, uid) };
}

export function modified(name: string, version: number): WatchEvent {
  return { type: "MODIFIED", object: thing(name, version) };
}

export function deleted(name: string, version: number): WatchEvent {
  return { type: "DELETED", object: thing(name, version) };
}

export function bookmark(version: number, isInitialEventsEnd = false): WatchEvent {
  return { type: "BOOKMARK", resourceVersion: `${version}`, isInitialEventsEnd };
}
