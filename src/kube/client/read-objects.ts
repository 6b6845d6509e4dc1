import { type ClientContext, isAbsent, noticingUnknownPaths, sendForObject } from "./client-context.ts";
import { listPages, type Page, type PageOptions } from "./list-pages.ts";
import type { KindRef, KubeObject, ObjectRef, ObjectSelection } from "./object.ts";
import type { KubeRequest } from "../transport/request.ts";
import { checkSegments, objectPath, selectionPath } from "./resource-path.ts";
import { readWatchEvents, type WatchEvent } from "./watch-events.ts";

export interface ObjectReading extends ObjectRef {
  /** The object comes with its metadata only, under its own apiVersion and kind. */
  readonly metadataOnly?: boolean | undefined;
}

export interface WatchOptions {
  /** Events after this version; without, the server starts with an ADDED event for each object there is. */
  readonly resourceVersion?: string | undefined;
  /** Starts with an ADDED event for each object, and a bookmark with `isInitialEventsEnd` after the last of them. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds?: number | undefined;
}

/** The verbs that change nothing. */
export interface ObjectReader {
  /** Throws `ApiError` with `isNotFound` when it is absent. */
  get(ref: ObjectReading, signal?: AbortSignal): Promise<KubeObject>;
  /** Undefined when the object is absent. Throws when its kind is, as `get` does. */
  find(ref: ObjectReading, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /** A list in pages, so that no more than one needs to be in memory. */
  pages(selection: ObjectSelection, options?: PageOptions, signal?: AbortSignal): AsyncIterable<Page>;
  list(selection: ObjectSelection, signal?: AbortSignal): Promise<Page>;
  /**
   * Changes as they happen, with bookmarks. Ends when the server ends it, which it does every few minutes; an `ERROR`
   * event is thrown as `ApiError`, with `isGone` if the version is too old. Each iteration is a watch of its own.
   */
  watch(selection: ObjectSelection, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent>;
}

/** How to ask for an object with its metadata only. */
export const partialObject = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

export function objectReader(context: ClientContext): ObjectReader {
  async function get(ref: ObjectReading, signal?: AbortSignal): Promise<KubeObject> {
    checkSegments(ref);
    const resource = await context.discovery.find(ref, signal);
    const path = objectPath(resource, { namespace: ref.namespace, name: ref.name });
    const headers = ref.metadataOnly ? { accept: partialObject } : {};
    const object = await sendForObject(context, { method: "GET", path, headers }, signal);
    return ref.metadataOnly ? { ...object, ...kindOf(ref) } : object;
  }

  async function* watch(
    selection: ObjectSelection,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    const { transport, discovery } = context;
    checkSegments(selection);
    const resource = await discovery.find(selection, signal);
    const request = watchRequest(selectionPath(resource, selection.namespace), selection, options);
    const body = await noticingUnknownPaths(context, () => transport.open(request, signal));
    const partialKind = selection.metadataOnly ? { partialKind: kindOf(selection) } : {};
    yield* readWatchEvents(body, { request, cluster: transport.cluster, ...partialKind });
  }

  return {
    get,
    async find(ref, signal) {
      try {
        return await get(ref, signal);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    pages: (selection, options = {}, signal) => listPages(context, selection, options, signal),
    async list(selection, signal) {
      const items: KubeObject[] = [];
      let resourceVersion: string | undefined;
      for await (const page of listPages(context, selection, {}, signal)) {
        for (const item of page.items) items.push(item);
        resourceVersion ??= page.resourceVersion;
      }
      return { items, resourceVersion: resourceVersion ?? "" };
    },
    watch,
  };
}

function watchRequest(path: string, selection: ObjectSelection, options: WatchOptions): KubeRequest {
  const { labelSelector, fieldSelector, metadataOnly } = selection;
  const { resourceVersion, sendInitialEvents, timeoutSeconds } = options;
  return {
    method: "GET",
    path,
    headers: metadataOnly ? { accept: partialObject } : {},
    query: {
      watch: true,
      allowWatchBookmarks: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds,
      ...(sendInitialEvents === undefined ? {} : { sendInitialEvents, resourceVersionMatch: "NotOlderThan" }),
    },
  };
}

function kindOf({ apiVersion, kind }: KindRef): KindRef {
  return { apiVersion, kind };
}
