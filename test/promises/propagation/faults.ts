import type { HttpProxy, RequestView, RuleHandle } from "#faults";

/** What can go wrong with one request. */
export interface Fault {
  readonly name: string;
  /** Whether it can happen to such a request, and be noticed. */
  suits(request: Pick<RequestView, "method">): boolean;
  inject(
    proxy: HttpProxy,
    selection: { readonly match: (request: RequestView) => boolean; readonly times: 1 },
  ): RuleHandle;
}

const always = () => true;
/** A server that only pretends to have written something cannot be seen through. */
const whenRead = ({ method }: Pick<RequestView, "method">) => method === "GET" || method === "HEAD";
const zeros = `sha256:${"0".repeat(64)}`;

/** Resets, refusals, delays, half answers, wrong answers, and redirects to another host. */
export function allFaults(stranger: URL): readonly Fault[] {
  const answer = (name: string, suits: Fault["suits"], rule: Parameters<HttpProxy["answer"]>[0]): Fault => ({
    name,
    suits,
    inject: (proxy, selection) => proxy.answer({ ...rule, ...selection }),
  });
  const location = { location: `${stranger.origin}/elsewhere` };
  return [
    { name: "reset before", suits: always, inject: (proxy, one) => proxy.cut({ at: "request", ...one }) },
    { name: "reset after", suits: always, inject: (proxy, one) => proxy.cut({ at: "headers", ...one }) },
    { name: "half an answer", suits: always, inject: (proxy, one) => proxy.cut({ at: { bytes: 20 }, ...one }) },
    { name: "slow", suits: always, inject: (proxy, one) => proxy.delay({ milliseconds: 300, ...one }) },
    answer("429", always, { status: 429, headers: { "retry-after": "1" }, body: '{"message":"slow down"}' }),
    answer("500", always, { status: 500, body: "{}" }),
    answer("a page of a proxy", always, { status: 502, body: "<html>bad gateway</html>" }),
    answer("another digest", whenRead, {
      status: 200,
      headers: { "docker-content-digest": zeros, "content-type": "application/vnd.oci.image.index.v1+json" },
      body: '{"schemaVersion":2,"manifests":[]}',
    }),
    answer("redirect of a read", whenRead, { status: 307, headers: location }),
    answer("redirect of a write", (request) => !whenRead(request), { status: 307, headers: location }),
  ];
}

/** One fault at one request, counted from 1. */
export interface FaultPoint {
  readonly fault: Fault;
  readonly request: number;
}

/** Every fault at every request that it suits, in a random order. */
export function faultPoints(
  requests: readonly Pick<RequestView, "method">[],
  faults: readonly Fault[],
  random: () => number,
): FaultPoint[] {
  return requests
    .flatMap((request, index) =>
      faults.filter((fault) => fault.suits(request)).map((fault) => ({ fault, request: index + 1 })),
    )
    .map((point) => ({ point, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ point }) => point);
}

/** Injects a fault into the request of that number among those that match. */
export function injectFault(
  proxy: HttpProxy,
  { fault, request }: FaultPoint,
  match: (request: RequestView) => boolean,
): RuleHandle {
  let seen = 0;
  return fault.inject(proxy, { match: (one) => match(one) && (seen += 1) === request, times: 1 });
}
