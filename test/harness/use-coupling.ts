import { afterAll, beforeAll } from "vitest";
import { createLogger, createMetrics, type Metrics, systemClock, valueAt } from "#base";
import {
  conditionOf,
  type Coupling,
  type CouplingOptions,
  couplingKinds,
  createCoupling,
  DeferredResource,
  Plug,
  Socket,
} from "#coupling";
import { installKinds } from "#crd";
import {
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  type KubeRequest,
  loadAccess,
  type ObjectRef,
  refOf,
} from "#kube";
import { runControllers } from "#runtime";
import { countedTransport } from "./counted-transport.ts";
import { accountUser, grantRights } from "./grant-rights.ts";
import { testKubeconfig } from "./test-kubeconfig.ts";

/** A world with plugs and sockets, as a test sees it. */
export interface CoupledWorld {
  /** The namespace of sockets. */
  readonly prov: string;
  /** The namespace of plugs. */
  readonly app: string;
  /** An administrator; its calls are not in `calls`. */
  readonly client: KubeClient;
  /** The metrics of the running operator. */
  readonly metrics: Metrics;
  /** The calls of the operator so far that concern these namespaces, except watches, like `PATCH /api/v1/…`; tests empty it. */
  readonly calls: string[];
  /** All lines of the operator's log so far, at debug level. */
  readonly lines: string[];
  /** Creates or updates plugs and sockets. */
  apply(...objects: readonly KubeObject[]): Promise<void>;
  plug(name: string, spec: object, namespace?: string): KubeObject;
  socket(name: string, spec: object, namespace?: string): KubeObject;
  /** Plugs are in `app`, sockets in `prov`. */
  ref(kind: "Plug" | "Socket", name: string): ObjectRef;
  ref(kind: "ConfigMap" | "Secret" | "Job" | "DeferredResource", name: string, namespace: string): ObjectRef;
  /** The data of a ConfigMap, once it exists. */
  dataOf(name: string, namespace: string): Promise<unknown>;
  /** Another namespace like the two, whose default service account may do everything there. */
  namespace(name: string): Promise<string>;
  /** The object, once it satisfies the condition; fails with its last status. */
  waitFor(ref: ObjectRef, isSo: (object: KubeObject | undefined) => boolean): Promise<KubeObject | undefined>;
  /** The plug, once it is coupled in its current generation. */
  waitUntilCoupled(name: string): Promise<KubeObject>;
  /** The plug, once its condition `Coupled` has the reason. */
  waitForReason(name: string, reason: string): Promise<KubeObject>;
  waitUntilDeleted(ref: ObjectRef): Promise<void>;
  /** Waits until the operator has written all pending Events. */
  flush(): Promise<void>;
  /** The reasons of all Events about an object so far, ordered by first occurrence, repeated as often as they occurred. */
  events(kind: "Plug" | "Socket" | "DeferredResource", name: string): Promise<readonly string[]>;
  /** Couples a new plug, so that the operator has at least begun all earlier work. */
  settle(): Promise<void>;
  /** Stops the operator without a grace period, and starts another one. */
  restart(options?: Partial<CouplingOptions>): Promise<void>;
  /** Fails if a part of the operator does not end. */
  stop(): Promise<void>;
}

/** Ends a wait for something that never happens; a machine under load only takes longer. */
const limitMs = 5 * 60_000;
const versions: Readonly<Record<string, string>> = {
  Plug: Plug.apiVersion,
  Socket: Socket.apiVersion,
  DeferredResource: DeferredResource.apiVersion,
  Job: "batch/v1",
};

/** A template of a ConfigMap. */
export function configMapTemplate(name: string, data: Readonly<Record<string, string>> = { a: "b" }) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

/** Gives the test file two namespaces, whose default service accounts may do everything there, and a running operator. */
export function useCoupling(options: Partial<CouplingOptions> = {}): CoupledWorld {
  const id = crypto.randomUUID().slice(0, 8);
  const [prov, app] = [`prov-${id}`, `app-${id}`];
  const namespaces = new Set([prov, app]);
  const calls: string[] = [];
  const lines: string[] = [];
  let metrics = createMetrics();
  const log = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const start = (changed: Partial<CouplingOptions> = {}) => {
    metrics = createMetrics();
    return startOperator({ calls, id, options: { log, metrics, ...options, ...changed } });
  };
  let client: KubeClient;
  let operator: Operator | undefined;
  let settled = 0;

  beforeAll(async () => {
    const access = await loadAccess({ kubeconfig: testKubeconfig() });
    client = createClient(connect(access));
    await installKinds(client, couplingKinds);
    for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(limitMs));
    await Promise.all([prov, app].map((namespace) => makeNamespace(client, namespace)));
    operator = await start();
  });
  afterAll(async () => {
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => client.transport[Symbol.asyncDispose]());
    cleanup.defer(stop);
    operator ??= await start();
    await releaseAll(client, [...namespaces]);
  });

  function ref(kind: string, name: string, namespace = kind === "Plug" ? app : prov): ObjectRef {
    return { apiVersion: versions[kind] ?? "v1", kind, namespace, name };
  }

  async function apply(...objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) await client.apply(object, { fieldManager: "test", force: true });
  }

  async function stop(): Promise<void> {
    const last = operator;
    operator = undefined;
    await last?.stop();
  }

  async function waitFor(asked: ObjectRef, isSo: (object: KubeObject | undefined) => boolean) {
    const end = systemClock.monotonic() + limitMs;
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
      const found = await client.find(asked);
      if (isSo(found)) return found;
      if (systemClock.monotonic() > end) {
        const last = JSON.stringify(found?.["status"] ?? found ?? "absent", undefined, 1);
        throw new Error(`${asked.kind} ${asked.name} was not as asked within ${limitMs / 60_000} min: ${last}`);
      }
      await systemClock.sleep(pauseMs);
    }
  }

  async function waitForPlug(name: string, isSo: (plug: KubeObject) => boolean): Promise<KubeObject> {
    const plug = await waitFor(ref("Plug", name), (found) => found !== undefined && isSo(found));
    if (!plug) throw new Error("it was there a moment ago");
    return plug;
  }

  return {
    prov,
    app,
    get client() {
      return client;
    },
    get metrics() {
      return metrics;
    },
    calls,
    lines,
    apply,
    plug: (name, spec, namespace = app) => objectOf("Plug", name, namespace, spec),
    socket: (name, spec, namespace = prov) => objectOf("Socket", name, namespace, spec),
    ref,
    async dataOf(name, namespace) {
      const found = await waitFor(ref("ConfigMap", name, namespace), (object) => object !== undefined);
      return found?.["data"];
    },
    async namespace(name) {
      const full = `${name}-${id}`;
      namespaces.add(full);
      await makeNamespace(client, full);
      return full;
    },
    waitFor,
    waitUntilCoupled: (name) => waitForPlug(name, isCoupledNow),
    waitForReason: (name, reason) => waitForPlug(name, (plug) => conditionOf(plug, "Coupled")?.["reason"] === reason),
    async waitUntilDeleted(asked) {
      await waitFor(asked, (found) => found === undefined);
    },
    async flush() {
      await operator?.flush();
    },
    async events(kind, name) {
      await operator?.flush();
      const namespace = kind === "Socket" ? prov : app;
      const selection = { apiVersion: "events.k8s.io/v1", kind: "Event", namespace };
      const { items } = await client.list(selection);
      const about = items.filter(
        ({ regarding }) => valueAt(regarding, ["kind"]) === kind && valueAt(regarding, ["name"]) === name,
      );
      return about
        .toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1))
        .flatMap((event) => Array.from({ length: countOf(event) }, () => String(event["reason"])));
    },
    async settle() {
      const name = `settle-${++settled}`;
      await apply(objectOf("Socket", name, prov, {}));
      await apply(objectOf("Plug", name, app, { socket: { name, namespace: prov } }));
      await waitForPlug(name, isCoupledNow);
    },
    async restart(changed) {
      await stop();
      operator = await start(changed);
    },
    stop,
  };
}

function timeOf(event: KubeObject): string {
  return String(event["eventTime"]);
}

/** A repeated Event is counted in its series. */
function countOf(event: KubeObject): number {
  return Number(valueAt(event, ["series", "count"]) ?? 1);
}

/** Whether the plug is coupled in its current generation. */
function isCoupledNow(plug: KubeObject): boolean {
  const { generation } = plug.metadata;
  const coupled = conditionOf(plug, "Coupled");
  return (
    coupled?.["status"] === "True" &&
    coupled["observedGeneration"] === generation &&
    valueAt(plug, ["status", "coupledResult", "observedGeneration"]) === generation
  );
}

/** Deletes everything while the operator runs, so that the next test file starts clean; all plugs and sockets must be deletable. */
async function releaseAll(client: KubeClient, namespaces: readonly string[]): Promise<void> {
  const end = systemClock.monotonic() + limitMs;
  const list = async (): Promise<KubeObject[]> => {
    const selections = namespaces.flatMap((namespace) =>
      [Plug, Socket].map(({ apiVersion, kind }) => ({ apiVersion, kind, namespace })),
    );
    const lists = await Promise.all(selections.map((selection) => client.list(selection)));
    return lists.flatMap(({ items }) => items);
  };
  await Promise.all((await list()).map((object) => client.delete(refOf(object), {})));
  await Promise.all(namespaces.map((name) => client.delete({ apiVersion: "v1", kind: "Namespace", name }, {})));
  for (let left = await list(); left.length > 0; left = await list()) {
    if (systemClock.monotonic() > end) {
      const stuck = left.map((object) => `${object.kind} ${object.metadata.name}: ${JSON.stringify(object["status"])}`);
      throw new Error(`still there ${limitMs / 60_000} min after they were deleted:\n${stuck.join("\n")}`);
    }
    await systemClock.sleep(250);
  }
}

function objectOf(kind: "Plug" | "Socket", name: string, namespace: string, spec: object): KubeObject {
  return { apiVersion: "integration.rock8s.com/v1beta1", kind, metadata: { name, namespace }, spec };
}

async function makeNamespace(client: KubeClient, name: string): Promise<void> {
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await grantRights(client, {
    namespace: name,
    name: "everything",
    user: accountUser({ namespace: name, name: "default" }),
    rules: [
      { apiGroups: ["", "batch"], resources: ["configmaps", "secrets", "pods", "services", "jobs"], verbs: ["*"] },
      { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: ["*"] },
    ],
  });
}

interface Operator {
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface StartOptions {
  readonly calls: string[];
  readonly id: string;
  readonly options: Partial<CouplingOptions> & Pick<CouplingOptions, "log">;
}

async function startOperator({ calls, id, options }: StartOptions): Promise<Operator> {
  const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const note = ({ method, path }: KubeRequest): void => {
    if (path.includes(id)) calls.push(`${method} ${path}`);
  };
  const client = createClient(countedTransport(transport, note));
  const { log } = options;
  const coupling: Coupling = createCoupling({
    client,
    clock: systemClock,
    random: Math.random,
    fingerprintKey: Buffer.from("the key of the tests"),
    instance: "test",
    ...options,
  });
  const ending = new AbortController();
  const running = runControllers(
    {
      controllers: coupling.controllers,
      graceMs: 0,
      clock: systemClock,
      log,
      flush: [(signal) => coupling.flush(signal)],
    },
    ending.signal,
  );
  // `stop` awaits it and sees the error.
  running.catch(() => {});
  return {
    flush: () => coupling.flush(AbortSignal.timeout(limitMs)),
    async stop() {
      ending.abort(new Error("stopped by the test"));
      try {
        await running;
      } finally {
        coupling[Symbol.dispose]();
        await transport[Symbol.asyncDispose]();
      }
    },
  };
}
