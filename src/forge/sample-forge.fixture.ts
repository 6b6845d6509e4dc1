import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, listenOn } from "#base";

export interface SamplePull {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  title: string;
  body: string;
  state: "open" | "closed" | "merged";
  sha: string;
  isConflicting: boolean;
  /** The forge has not found out yet whether it can be merged. */
  isBeingChecked: boolean;
  readonly labels: Set<string>;
  readonly comments: { readonly id: number; body: string }[];
  mergeAsked: unknown;
}

/** What a small server remembers that speaks the documented routes of a forge which cannot run here. */
export class SampleForgeState {
  readonly pulls: SamplePull[] = [];
  readonly statuses: Readonly<Record<string, unknown>>[] = [];
  /** Of GitHub, in the order of their creation. */
  readonly checkRuns: Readonly<Record<string, unknown>>[] = [];
  readonly requests: { readonly method: string; readonly path: string; readonly authorization: string }[] = [];
  /** The next answers, instead of the real ones. */
  readonly refusals: { readonly status: number; readonly headers?: Record<string, string>; readonly body: unknown }[] =
    [];
  nextId = 100;

  open(given: Pick<SamplePull, "head" | "base" | "title" | "body">): SamplePull | undefined {
    const isOpen = (pull: SamplePull) => pull.state === "open" && pull.head === given.head && pull.base === given.base;
    if (this.pulls.some(isOpen)) return undefined;
    const rest = { state: "open", sha: "c".repeat(40), isConflicting: false, isBeingChecked: false } as const;
    const pull = {
      ...given,
      ...rest,
      labels: new Set<string>(),
      number: this.pulls.length + 1,
      comments: [],
      mergeAsked: undefined,
    };
    this.pulls.push(pull);
    return pull;
  }
}

export interface SampleCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SampleAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The page of a list that a call asks for. */
export function pageOf<Item>(items: readonly Item[], { query }: SampleCall, defaultSize: number): readonly Item[] {
  const size = Number(query.get("per_page") ?? defaultSize);
  const first = (Number(query.get("page") ?? 1) - 1) * size;
  return items.slice(first, first + size);
}

export interface SampleForge extends AsyncDisposable {
  readonly url: string;
  readonly state: SampleForgeState;
}

export async function startSampleForge(
  answer: (call: SampleCall, state: SampleForgeState) => SampleAnswer,
): Promise<SampleForge> {
  const state = new SampleForgeState();
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const authorization = String(request.headers.authorization ?? request.headers["private-token"] ?? "");
    const method = request.method ?? "GET";
    state.requests.push({ method, path: pathname, authorization });
    const text = Buffer.concat(chunks).toString();
    const refusal = state.refusals.shift();
    const call = { method, path: pathname, query: searchParams, body: text === "" ? {} : JSON.parse(text) };
    const { status, body } = refusal ?? answer(call, state);
    response.writeHead(status, { "content-type": "application/json", ...refusal?.headers });
    response.end(body === undefined ? "" : JSON.stringify(body));
  }
  const server = createServer((request, response) => void respond(request, response));
  const port = await listenOn(server, "127.0.0.1", 0);
  return { url: `http://127.0.0.1:${port}`, state, [Symbol.asyncDispose]: () => closeServer(server) };
}
