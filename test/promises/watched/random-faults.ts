import { setTimeout } from "node:timers/promises";
import {
  expired,
  failureStatus,
  type HttpProxy,
  internalError,
  isWatch,
  overloaded,
  type TcpProxy,
  watchError,
} from "#faults";
import { isOfReflector, isResume } from "./watched-world.ts";

export interface FaultyLine {
  readonly tcp: TcpProxy;
  readonly proxy: HttpProxy;
  readonly random: () => number;
}

type Fault = (line: FaultyLine) => Promise<void> | void;

/** What a network, a load balancer and a server do to a watch. Faults of requests come with a reset, so that there are some. */
const faults: Readonly<Record<string, Fault>> = {
  reset: ({ tcp }) => tcp.reset("live"),
  cutAnywhere: ({ tcp, random }) => tcp.cutAfter(below(3_000, random), { style: random() < 0.5 ? "reset" : "end" }),
  async refuse({ tcp, random }) {
    tcp.refuse();
    tcp.reset("live");
    await setTimeout(below(800, random));
    await tcp.restore();
  },
  async silence({ tcp, random }) {
    tcp.silence(random() < 0.5 ? "both" : "toClient");
    await setTimeout(below(7_000, random));
    await tcp.restore();
  },
  delay: ({ tcp, random }) => tcp.delay(below(60, random)),
  failures({ tcp, proxy, random }) {
    proxy.answer({ match: isOfReflector, ...internalError(), times: 1 + below(6, random) });
    tcp.reset("live");
  },
  overload({ tcp, proxy }) {
    proxy.answer({ match: isOfReflector, ...overloaded(1), times: 1 });
    tcp.reset("live");
  },
  expiredAnswer({ tcp, proxy }) {
    proxy.answer({ match: isResume, ...expired(), times: 1 });
    tcp.reset("live");
  },
  expiredEvent({ tcp, proxy, random }) {
    proxy.inject({ match: isWatch, line: watchError(), at: { lines: below(20, random) }, end: true, times: 1 });
    tcp.reset("live");
  },
  failedEvent({ tcp, proxy, random }) {
    const line = watchError(failureStatus(500, "InternalError", "etcd event received with PrevKv=nil"));
    proxy.inject({ match: isWatch, line, at: { lines: below(20, random) }, end: true, times: 1 });
    tcp.reset("live");
  },
  cutEvents({ tcp, proxy, random }) {
    const at = { lines: below(30, random), bytes: below(400, random) };
    proxy.cut({ match: isWatch, at, style: random() < 0.5 ? "reset" : "end", times: 1 + below(3, random) });
    tcp.reset("live");
  },
  lostAnswers({ tcp, proxy, random }) {
    proxy.cut({ match: isOfReflector, at: random() < 0.5 ? "headers" : "request", times: 1 + below(3, random) });
    tcp.reset("live");
  },
  silentEvents({ tcp, proxy, random }) {
    proxy.silence({ match: isWatch, at: { lines: below(20, random) }, times: 1 });
    tcp.reset("live");
  },
};

/** One fault after another, for so long; all are over at the end. */
export async function runFaults(line: FaultyLine, milliseconds: number): Promise<void> {
  const { tcp, proxy, random } = line;
  const kinds = Object.values(faults);
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await kinds[below(kinds.length, random)]?.(line);
    await setTimeout(below(1_200, random));
  }
  proxy.restore();
  await tcp.restore();
}

function below(limit: number, random: () => number): number {
  return Math.floor(random() * limit);
}
