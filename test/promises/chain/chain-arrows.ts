import type { HttpProxy, RequestView } from "#faults";
import type { Parcels } from "./parcels.ts";

export type ChainPart = "cluster" | "registry" | "forge";

/** Where one part of the chain hands on to the next: the write that says so. */
export interface ChainArrow {
  readonly name: string;
  /** What gets the write. */
  readonly part: ChainPart;
  readonly matches: (request: RequestView) => boolean;
  /** Only after this arrow. */
  readonly after?: string;
}

const isWrite = ({ method }: RequestView) => method !== "GET" && method !== "HEAD";
const writes = (path: RegExp) => (request: RequestView) => isWrite(request) && path.test(request.path);
const creates = (path: RegExp) => (request: RequestView) => request.method === "POST" && path.test(request.path);

/** From the end of a build to the rollout of its image, in the order of time. */
export const chainArrows: readonly ChainArrow[] = [
  { name: "build to candidate", part: "cluster", matches: writes(/\/components\/tracking/) },
  { name: "Snapshot to test run", part: "cluster", matches: creates(/\/jobs(\?|$)/) },
  { name: "test run to verdict", part: "cluster", matches: writes(/\/snapshots\/[^/?]+\/status/) },
  { name: "verdict to Release", part: "cluster", matches: creates(/\/releases(\?|$)/) },
  { name: "Release to its pipeline", part: "cluster", matches: writes(/\/releases\/[^/?]+\/status/) },
  { name: "pipeline to tag", part: "registry", matches: writes(/\/manifests\/released$/) },
  {
    name: "tag to the end of the Release",
    part: "cluster",
    matches: writes(/\/releases\/[^/?]+\/status/),
    after: "pipeline to tag",
  },
  { name: "tag to branch", part: "forge", matches: creates(/\/git-receive-pack$/) },
  { name: "branch to pull request", part: "forge", matches: creates(/\/pulls$/) },
  {
    name: "merge to rollout",
    part: "cluster",
    matches: writes(/\/deployments\/tracking/),
    after: "branch to pull request",
  },
];

/** What is done to Tenon, or to what it writes to, while a write of an arrow is on its way. */
export interface ArrowFault {
  readonly arrow: ChainArrow;
  /**
   * Tenon is killed, and the server does not get the write or gets it; or Tenon lives on, and the server is gone before it gets
   * the write.
   */
  readonly kind: "killed before" | "killed after" | "server gone";
}

/** Acts at the writes of faults, one after the other. */
export class ArrowWatch implements Disposable {
  readonly #parcels: Parcels;
  readonly #faults: readonly ArrowFault[];
  readonly #rules: readonly { remove(): void }[];
  readonly #reached = new Set<number>();
  /** Arrows whose write got through. */
  readonly #passed = new Set<string>();
  /** The fault that may act; undefined from the write that Tenon is killed at until it is dead. */
  #next: number | undefined = 0;

  constructor(parcels: Parcels, proxies: Readonly<Record<ChainPart, HttpProxy>>, faults: readonly ArrowFault[]) {
    this.#parcels = parcels;
    this.#faults = faults;
    const acting = faults.map((fault, index) => {
      const proxy = proxies[fault.arrow.part];
      const match = (request: RequestView) => this.#takes(index, request);
      if (fault.kind === "server gone") return proxy.cut({ at: "request", match });
      return proxy.silence({ at: fault.kind === "killed before" ? "request" : "headers", times: 1, match });
    });
    // A process that is being killed runs on for a moment; what it writes by then gets nowhere.
    const match = (request: RequestView) => this.#next === undefined && isWrite(request) && parcels.isAbout(request);
    const freezing = Object.values(proxies).map((proxy) => proxy.cut({ at: "request", match }));
    // The first rule that matches takes a request: these see what no fault is for, and take nothing.
    const noticing = chainArrows.map((arrow) => {
      const notice = (request: RequestView) => {
        if (this.#isMet(arrow, request)) this.#passed.add(arrow.name);
        return false;
      };
      return proxies[arrow.part].cut({ match: notice });
    });
    this.#rules = [...acting, ...freezing, ...noticing];
    for (const [index, { reached }] of acting.entries()) void reached.then(() => this.#reached.add(index));
  }

  /** Whether the write of that fault is where the fault acts. */
  hasReached(index: number): boolean {
    return this.#reached.has(index);
  }

  /** Ends that fault: what it holds goes on, and the next one may act. */
  release(index: number): void {
    this.#next = index + 1;
    this.#rules[index]?.remove();
  }

  [Symbol.dispose](): void {
    for (const rule of this.#rules) rule.remove();
  }

  #takes(index: number, request: RequestView): boolean {
    const fault = this.#faults[index];
    if (index !== this.#next || fault === undefined || !this.#isMet(fault.arrow, request)) return false;
    if (fault.kind === "killed after") this.#passed.add(fault.arrow.name);
    // A server stays gone for as long as it restarts.
    if (fault.kind !== "server gone") this.#next = undefined;
    return true;
  }

  #isMet({ matches, after }: ChainArrow, request: RequestView): boolean {
    return matches(request) && this.#parcels.isAbout(request) && (after === undefined || this.#passed.has(after));
  }
}
