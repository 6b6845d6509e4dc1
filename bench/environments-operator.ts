import { silentLogger, systemClock } from "#base";
import { connect, createClient, type KubeRequest, loadAccess, type Transport } from "#kube";
import { createEnvironments, RemoteClusters, rememberInstallation } from "#promotion";
import { runControllers } from "#runtime";

interface Spent {
  readonly requests: number;
  readonly writes: number;
  /** Milliseconds while at least one request was not answered. */
  readonly waiting: number;
}

/** The part `environments`, in this process. */
export interface EnvironmentsOperator extends AsyncDisposable {
  spent(): Spent;
}

export async function startEnvironments(kubeconfig: string): Promise<EnvironmentsOperator> {
  const access = await loadAccess({ kubeconfig });
  const transport = connect(access);
  let [requests, writes, waiting, inFlight, since] = [0, 0, 0, 0, 0];
  const timed = timedTransport(transport, {
    begin({ method }) {
      requests += 1;
      writes += method === "GET" ? 0 : 1;
      if (inFlight === 0) since = performance.now();
      inFlight += 1;
    },
    end() {
      inFlight -= 1;
      if (inFlight === 0) waiting += performance.now() - since;
    },
  });
  const client = createClient(timed);
  const given = { clock: systemClock, random: Math.random, log: silentLogger };
  const installation = rememberInstallation(client);
  const clusters = new RemoteClusters({ client, namespace: "tenon", installation });
  const controllers = createEnvironments({ ...given, client, server: access.server.href, clusters, installation });
  const ending = new AbortController();
  const running = runControllers({ ...given, controllers, graceMs: 0 }, ending.signal);
  return {
    spent: () => ({ requests, writes, waiting: waiting + (inFlight > 0 ? performance.now() - since : 0) }),
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("measured"));
      await running;
      await clusters[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}

interface Timing {
  begin(request: KubeRequest): void;
  end(): void;
}

/** Reports when requests begin and end, except watches. */
function timedTransport(transport: Transport, timing: Timing): Transport {
  return {
    cluster: transport.cluster,
    async send(request, signal) {
      timing.begin(request);
      try {
        return await transport.send(request, signal);
      } finally {
        timing.end();
      }
    },
    open: (request, signal) => transport.open(request, signal),
    impersonate: (identity) => timedTransport(transport.impersonate(identity), timing),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
