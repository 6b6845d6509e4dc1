import { afterAll } from "vitest";
import { createLogger, type JsonObject } from "#base";
import {
  ClusterClients,
  describePlan,
  fetchCurrentState,
  findAutoscalers,
  ManagedObject,
  type Plan,
  planChanges,
  type PlanOptions,
  type Realized,
  realizeData,
  type RealizeOptions,
  type ResourceInventory,
} from "#inventory";
import { connect, createClient, type KubeClient, loadAccess, type Transport } from "#kube";
import { useNamespace } from "./use-namespace.ts";
import { testKubeconfig } from "./test-kubeconfig.ts";

type RunOptions = Partial<PlanOptions> & RealizeOptions & { readonly clusters?: ClusterClients };

/** One integration that manages a namespace, as a test sees it. */
export interface Managed {
  readonly namespace: string;
  readonly client: KubeClient;
  /** All calls of the client so far, like `GET /api/v1/pods`; tests empty it. */
  readonly calls: string[];
  /** All lines of the log so far, at debug level. */
  readonly lines: string[];
  inventory(desired: readonly JsonObject[], options?: RunOptions): Promise<ResourceInventory>;
  plan(desired: readonly JsonObject[], options?: RunOptions): Promise<Plan>;
  run(desired: readonly JsonObject[], options?: RunOptions): Promise<Realized>;
}

export const never = new AbortController().signal;

/** Gives the test file a namespace of its own, managed by an integration called `test` as cluster `c1`. Call it at the top level. */
export function useManaged(kinds: readonly string[]): Managed {
  const { namespace } = useNamespace();
  const calls: string[] = [];
  const lines: string[] = [];
  const opened = Promise.withResolvers<Transport>();
  const client = createClient(lateTransport(opened.promise, calls));
  void loadAccess({ kubeconfig: testKubeconfig() }).then((access) => opened.resolve(connect(access)), opened.reject);
  afterAll(async () => (await opened.promise)[Symbol.asyncDispose]());
  return manage({ client, namespace, kinds, calls, lines });
}

export interface ManageOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly kinds: readonly string[];
  readonly calls?: string[];
  readonly lines?: string[];
}

/** The same for a given client and namespace. */
export function manage({ client, namespace, kinds, calls = [], lines = [] }: ManageOptions): Managed {
  const log = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const identity = { integration: "test", integrationVersion: "0.1.0" };
  const own = ClusterClients.of({ c1: client });

  async function inventory(desired: readonly JsonObject[], options: RunOptions = {}): Promise<ResourceInventory> {
    const { clusters = own, integration = identity.integration, caller } = options;
    const namespaces = [{ cluster: "c1", namespace }];
    const state = await fetchCurrentState(
      { namespaces, managedKinds: kinds, integration, clusters, log, metrics: options.metrics },
      never,
    );
    for (const body of desired) {
      const resource = new ManagedObject({ ...identity, integration, body, callerName: caller });
      state.inventory.addDesired({
        cluster: "c1",
        namespace,
        kind: resource.kind,
        name: resource.name,
        value: resource,
      });
    }
    return state.inventory;
  }

  async function plan(desired: readonly JsonObject[], options: RunOptions = {}): Promise<Plan> {
    const found = await inventory(desired, options);
    await findAutoscalers(found, options.clusters ?? own, { log }, never);
    return planChanges(found, { ...identity, ...options });
  }

  return {
    namespace,
    client,
    calls,
    lines,
    inventory,
    plan,
    async run(desired, options = {}) {
      const all = { ...identity, log, clusters: own, ...options };
      const realized = await realizeData({ ...all, inventory: await inventory(desired, options) }, never);
      log.debug("plan", { text: describePlan(realized.plan) });
      return realized;
    },
  };
}

/** Connects on first use, and records its calls. */
function lateTransport(opened: Promise<Transport>, calls: string[]): Transport {
  return {
    cluster: "c1",
    async send(request, signal) {
      calls.push(`${request.method} ${request.path}`);
      return await (await opened).send(request, signal);
    },
    open: async (request, signal) => (await opened).open(request, signal),
    impersonate: (identity) =>
      lateTransport(
        opened.then((transport) => transport.impersonate(identity)),
        calls,
      ),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The calls that write. */
export function writesIn(calls: readonly string[]): string[] {
  return calls.filter((call) => !call.startsWith("GET "));
}
