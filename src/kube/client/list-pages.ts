import { isRecord } from "#base";
import { ApiError } from "../transport/api-error.ts";
import type { ApiResource } from "./api-group.ts";
import { type ClientContext, parseAnswer, sendForText } from "./client-context.ts";
import { hasMetadata, type KubeObject, type ObjectSelection } from "./object.ts";
import { describeRequest, type KubeRequest } from "../transport/request.ts";
import { checkSegments, selectionPath } from "./resource-path.ts";

export interface Page {
  readonly items: KubeObject[];
  /**
   * The state that the page shows. All pages show the same one, unless the server compacted it meanwhile; a watch from the
   * version of the first page misses nothing in either case.
   */
  readonly resourceVersion: string;
}

export interface PageOptions {
  /** Objects a page; default 1000, twice what kubectl asks for: `bench/reflector.ts` shows what a list costs with it. */
  readonly limit?: number | undefined;
  /** At least as new as this; `0` for any cached state. Default: the newest. */
  readonly resourceVersion?: string | undefined;
}

const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export async function* listPages(
  context: ClientContext,
  selection: ObjectSelection,
  { limit = 1000, resourceVersion }: PageOptions,
  signal?: AbortSignal,
): AsyncGenerator<Page> {
  checkSegments(selection);
  const resource = await context.discovery.find(selection, signal);
  const { namespace, labelSelector, fieldSelector, metadataOnly } = selection;
  const path = selectionPath(resource, namespace);
  const headers = metadataOnly ? { accept: metadataList } : {};
  const selectors = { labelSelector, fieldSelector, limit };
  const version = resourceVersion === undefined ? {} : { resourceVersion, resourceVersionMatch: "NotOlderThan" };
  const pageAt = (token: string | undefined): KubeRequest => {
    const position = token === undefined ? version : { continue: token };
    return { method: "GET", path, headers, query: { ...selectors, ...position } };
  };
  const stopping = new AbortController();
  const ending = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
  try {
    let request = pageAt(undefined);
    let sent: Promise<string> | undefined = sendForText(context, request, ending);
    let hasContinued = false;
    while (sent) {
      let body: string;
      try {
        body = await sent;
      } catch (error) {
        const fresh = hasContinued ? undefined : freshToken(error);
        if (fresh === undefined) throw error;
        hasContinued = true;
        request = pageAt(fresh);
        sent = sendForText(context, request, ending);
        continue;
      }
      // The server works on the next page while this one is parsed and used.
      const ahead = nextTokenIn(body);
      const following = ahead === undefined ? undefined : sendAhead(context, pageAt(ahead), ending);
      const page = readPage(
        parseAnswer(body, request, context.transport.cluster),
        resource,
        request,
        metadataOnly === true,
      );
      yield { items: page.items, resourceVersion: page.resourceVersion };
      if (page.continue !== undefined) request = pageAt(page.continue);
      sent = page.continue === undefined ? undefined : (following ?? sendForText(context, request, ending));
    }
  } finally {
    stopping.abort();
  }
}

/** The first bytes of a list. If they differ, the next page is requested only after this one is parsed. */
const listHead =
  /^\{(?:"kind":"\w+","apiVersion":"[\w./-]+",)?"metadata":\{"resourceVersion":"\d*","continue":"([\w-]+=*)"/;

function nextTokenIn(body: string): string | undefined {
  return listHead.exec(body)?.[1];
}

/** A request that may fail before it is awaited, or is never awaited. */
function sendAhead(context: ClientContext, request: KubeRequest, signal: AbortSignal): Promise<string> {
  const sent = sendForText(context, request, signal);
  sent.catch(() => {});
  return sent;
}

/**
 * A server that has compacted the state of the list offers a token to continue with a newer one:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
function freshToken(error: unknown): string | undefined {
  return error instanceof ApiError && error.isGone ? error.continueToken : undefined;
}

function readPage(
  answer: unknown,
  { apiVersion, kind }: ApiResource,
  request: KubeRequest,
  isPartial: boolean,
): Page & { readonly continue: string | undefined } {
  const metadata = isRecord(answer) && isRecord(answer.metadata) ? answer.metadata : {};
  const found: unknown = isRecord(answer) ? (answer.items ?? []) : undefined;
  if (!Array.isArray(found)) throw notAList(request);
  const items: KubeObject[] = [];
  for (const item of found) {
    if (!hasMetadata(item)) throw notAList(request);
    // Objects of a list do not say what they are; partial ones say that they are PartialObjectMetadata.
    items.push(isPartial ? { ...item, apiVersion, kind } : { apiVersion, kind, ...item });
  }
  return {
    items,
    resourceVersion: typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : "",
    continue: typeof metadata.continue === "string" && metadata.continue !== "" ? metadata.continue : undefined,
  };
}

function notAList(request: KubeRequest): Error {
  return new Error(`${describeRequest(request)}: the answer is not a list of objects`);
}
