import { hash } from "node:crypto";
import type { KubeRequest, KubeResponse, Transport } from "#kube";

/** What a cluster answered when it was asked, as a hash. */
export interface KnownAnswer {
  readonly cluster: string;
  readonly request: Pick<KubeRequest, "method" | "path" | "query" | "headers">;
  readonly sha256: string;
}

/** Notes what clusters answer in a run, so that a later run can ask the same and see that nothing has changed. */
export class ClusterAnswers {
  readonly #answers = new Map<string, KnownAnswer>();
  /** Answers to what was asked early, each for the first who asks for it. */
  readonly #early = new Map<string, Promise<KubeResponse>>();
  #isRepeatable = true;

  /** Everything that was read through `wrap`; undefined if asking the same again would not show every change. */
  get known(): readonly KnownAnswer[] | undefined {
    return this.#isRepeatable ? [...this.#answers.values()] : undefined;
  }

  /** Is put between a client and its cluster. */
  readonly wrap = (cluster: string, transport: Transport): Transport => ({
    cluster: transport.cluster,
    send: async (request, signal) => {
      const key = keyOf(cluster, request);
      try {
        const early = this.#early.get(key);
        this.#early.delete(key);
        const answer = await (early ?? transport.send(request, signal));
        this.#note(cluster, request, answer);
        return answer;
      } catch (error) {
        this.#isRepeatable = false;
        throw error;
      }
    },
    open: (request, signal) => {
      this.#isRepeatable = false;
      return transport.open(request, signal);
    },
    impersonate: (identity) => {
      this.#isRepeatable = false;
      return transport.impersonate(identity);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  });

  /** Whether the cluster still answers the same. The answer is kept for the run that asks for it after all. */
  async isSame({ cluster, request, sha256 }: KnownAnswer, transport: Transport, signal: AbortSignal): Promise<boolean> {
    const known = this.#answers.get(keyOf(cluster, request));
    if (known) return known.sha256 === sha256;
    const asked = transport.send(request, signal);
    this.#early.set(keyOf(cluster, request), asked);
    return hashOf(await asked) === sha256;
  }

  #note(cluster: string, request: KubeRequest, answer: KubeResponse): void {
    const { method, path, query, headers } = request;
    // The next page is asked for with a token of the page before, which is another one each time.
    if (method !== "GET" || query?.["continue"] !== undefined) this.#isRepeatable = false;
    const asked = { method, path, ...(query && { query }), ...(headers && { headers }) };
    this.#answers.set(keyOf(cluster, request), { cluster, request: asked, sha256: hashOf(answer) });
  }
}

function keyOf(cluster: string, { method, path, query, headers }: KubeRequest): string {
  return JSON.stringify([cluster, method, path, query ?? {}, headers ?? {}]);
}

/** The version of a list is that of the whole cluster, and changes with everything; each of its objects has its own. */
const listVersion = /^(\{"kind":"\w+List","apiVersion":"[\w./-]+","metadata":\{)"resourceVersion":"\d+"(?=\},"items":)/;

function hashOf({ body }: KubeResponse): string {
  const head = listVersion.exec(body);
  return hash("sha256", head ? `${head[1]}${body.slice(head[0].length)}` : body);
}
