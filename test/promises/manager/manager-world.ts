import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openQueryableSource } from "#bundle";
import { startCluster } from "#cluster";
import { never, temporaryHome, testKubeconfig } from "#harness";
import {
  applyPlan,
  type AppliedPlan,
  type ApplyPlanOptions,
  type DataClusterSource,
  type NamespaceMemory,
  planFromData,
  type PlannedRun,
  type PlanFromDataOptions,
  stateFile,
} from "#integrations";
import { connect, createClient, type KubeClient, loadAccess, type Transport } from "#kube";
import { type Chart, loadChart } from "#template";
import { type DataDirectory, dataDirectory } from "./data-directory.ts";

const chartDirectory = join(import.meta.dirname, "..", "..", "..", "charts", "integrations");

/** What a test says otherwise than the world does. */
export type MoreOptions = Partial<Omit<PlanFromDataOptions, "desire">> & {
  readonly desire?: Partial<PlanFromDataOptions["desire"]>;
};

export interface Ran extends AppliedPlan {
  readonly plan: PlannedRun["plan"];
  readonly warnings: PlannedRun["warnings"];
  /** What was written, like `c1 create Deployment a`. */
  readonly done: readonly string[];
}

/** A manager with data of its own, and the clusters that it manages, as a test sees them. */
export interface ManagerWorld {
  readonly data: DataDirectory;
  readonly memory: NamespaceMemory;
  /** Real names of two namespaces, which exist on all clusters. */
  readonly namespaces: readonly [string, string];
  client(cluster?: string): KubeClient;
  kubeconfig(cluster: string): string;
  contextOf(cluster: string): Promise<string>;
  /** Calls to clusters so far, like `c1 GET /api/v1/pods`; tests empty it. */
  readonly calls: string[];
  /** The options of `planIntegrations`. */
  options(more?: MoreOptions): Promise<PlanFromDataOptions>;
  plan(more?: MoreOptions): Promise<PlannedRun["plan"]>;
  run(more?: MoreOptions, apply?: ApplyPlanOptions): Promise<Ran>;
  /** The names of the workloads in a namespace, with their kinds. */
  workloads(namespace: string, cluster?: string): Promise<string[]>;
}

/** Gives the test file a manager. With a second cluster, `c2` is one of its own. Call it at the top level. */
export function useManagerWorld({ clusters: count = 1 }: { readonly clusters?: 1 | 2 } = {}): ManagerWorld {
  const id = crypto.randomUUID().slice(0, 8);
  const namespaces = [`test-${id}-a`, `test-${id}-b`] as const;
  const calls: string[] = [];
  const cleanup = new AsyncDisposableStack();
  const kubeconfigs = new Map([["c1", testKubeconfig()]]);
  const clients = new Map<string, KubeClient>();
  let data: DataDirectory | undefined;
  let memory: NamespaceMemory | undefined;
  let chart: Chart | undefined;

  beforeAll(async () => {
    data = cleanup.use(await dataDirectory());
    chart = loadChart(chartDirectory);
    memory = stateFile(join(data.path, "state.json"));
    if (count === 2) {
      const home = cleanup.use(await temporaryHome());
      const { kubeconfig } = await startCluster({ home, name: `second-${id}`, fakeNodes: 1, endsWithUs: true }, never);
      kubeconfigs.set("c2", kubeconfig);
    }
    for (const [name, kubeconfig] of kubeconfigs) {
      const transport = cleanup.use(connect(await loadAccess({ kubeconfig }), { connectTimeoutMs: 2_000 }));
      const client = createClient(transport);
      clients.set(name, client);
      for (const namespace of namespaces) await client.create(namespaceObject(namespace));
    }
    cleanup.defer(async () => {
      for (const name of namespaces) await clientOf("c1").delete({ apiVersion: "v1", kind: "Namespace", name });
    });
  });
  afterAll(() => cleanup.disposeAsync());

  function clientOf(cluster: string): KubeClient {
    return need(clients.get(cluster));
  }

  function reach(clusters: Parameters<PlanFromDataOptions["reach"]>[0]): DataClusterSource[] {
    return clusters.map(({ name }) => ({
      name,
      endpoint: name,
      async open() {
        const access = await loadAccess({ kubeconfig: need(kubeconfigs.get(name)) });
        return createClient(noting(connect(access, { connectTimeoutMs: 2_000 }), name, calls));
      },
    }));
  }

  async function options(more: MoreOptions = {}): Promise<PlanFromDataOptions> {
    const { desire, ...rest } = more;
    return {
      data: await openQueryableSource(need(data).path, { acceptsUnreadable: true }).load(never),
      reach,
      memory: need(memory),
      ...rest,
      desire: {
        chart: need(chart),
        processEnv: {},
        resolveRef: async () => "0".repeat(40),
        ...desire,
      },
    };
  }

  return {
    get data() {
      return need(data);
    },
    get memory() {
      return need(memory);
    },
    namespaces,
    calls,
    client: (cluster = "c1") => clientOf(cluster),
    kubeconfig: (cluster) => need(kubeconfigs.get(cluster)),
    contextOf: async (cluster) => (await loadAccess({ kubeconfig: need(kubeconfigs.get(cluster)) })).context,
    options,
    async plan(more) {
      await using planned = await planFromData(await options(more), never);
      return planned.plan;
    },
    async run(more, apply = {}) {
      const all = await options(more);
      await using planned = await planFromData(all, never);
      const applied = await applyPlan(planned, { memory: all.memory, ...apply }, never);
      const done = applied.outcomes.map(
        ({ cluster, action, kind, name, state }) =>
          `${cluster} ${action} ${kind} ${name}${state === "done" ? "" : ` ${state}`}`,
      );
      return { ...applied, plan: planned.plan, warnings: planned.warnings, done };
    },
    async workloads(namespace, cluster = "c1") {
      const kinds = [
        ["apps/v1", "Deployment"],
        ["apps/v1", "StatefulSet"],
        ["batch/v1", "CronJob"],
        ["v1", "Service"],
      ] as const;
      const lists = await Promise.all(
        kinds.map(([apiVersion, kind]) => clientOf(cluster).list({ apiVersion, kind, namespace, metadataOnly: true })),
      );
      return lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toSorted();
    },
  };
}

function need<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the world is there when the tests run");
  return value;
}

function namespaceObject(name: string) {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function noting(transport: Transport, cluster: string, calls: string[]): Transport {
  return {
    ...transport,
    send(request, signal) {
      calls.push(`${cluster} ${request.method} ${request.path}`);
      return transport.send(request, signal);
    },
  };
}
