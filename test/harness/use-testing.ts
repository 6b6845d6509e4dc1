import { afterAll, beforeAll } from "vitest";
import { createLogger, createMetrics, isRecord, type Metrics, silentLogger, systemClock } from "#base";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, type ObjectRef } from "#kube";
import {
  Application,
  createTesting,
  installPromotion,
  IntegrationTestScenario,
  promotionAnnotations,
  promotionLabels,
  Snapshot,
  type TestingOptions,
} from "#promotion";
import { runControllers } from "#runtime";
import { installTektonKinds, PipelinePlayer } from "#tekton";
import { countedTransport } from "./counted-transport.ts";
import { testKubeconfig } from "./test-kubeconfig.ts";

/** An entry of the annotation with the results of a Snapshot. */
export interface TestedEntry {
  readonly scenario: string;
  readonly status: string;
  readonly details: string;
  readonly testPipelineRunName?: string;
  readonly isOptionalScenario?: boolean;
}

/** A tenant's namespace with the application shop, and the controllers of tests. */
export interface TestedWorld {
  readonly namespace: string;
  /** An administrator; its calls are not in `calls`. */
  readonly client: KubeClient;
  readonly player: PipelinePlayer;
  readonly metrics: Metrics;
  /** The calls of the controllers so far, except watches; tests empty it. */
  readonly calls: string[];
  readonly lines: string[];
  /** Creates a scenario of the application shop, or the one that `spec` names. */
  scenario(name: string, spec?: object, metadata?: object): Promise<KubeObject>;
  application(name: string): Promise<void>;
  /** Creates a Snapshot; of a push to the component web, if nothing else is said. */
  snapshot(name: string, change?: SnapshotChange): Promise<KubeObject>;
  ref(kind: "Snapshot" | "PipelineRun" | "Job" | "ServiceAccount" | "ResolutionRequest", name: string): ObjectRef;
  entries(snapshot: string): Promise<readonly TestedEntry[]>;
  /** The entry of a scenario, once it has the status. */
  waitForEntry(snapshot: string, scenario: string, status: string): Promise<TestedEntry>;
  /** The run of a scenario, once the annotation names it; unless it is the one before. */
  waitForRun(snapshot: string, scenario: string, before?: string): Promise<string>;
  /** `status/reason`, by the type of the condition. */
  conditions(snapshot: string): Promise<Readonly<Record<string, string>>>;
  waitForCondition(snapshot: string, type: string, value: string): Promise<string>;
  waitFor(ref: ObjectRef, isSo: (object: KubeObject | undefined) => boolean): Promise<KubeObject | undefined>;
  /** Stops the controllers without a grace period, and starts others. */
  restart(options?: Partial<TestingOptions>): Promise<void>;
  stop(): Promise<void>;
}

export interface SnapshotChange {
  readonly application?: string;
  readonly componentGroup?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly components?: readonly object[];
}

const limitMs = 5 * 60_000;
const versions: Readonly<Record<string, string>> = {
  Snapshot: Snapshot.apiVersion,
  PipelineRun: "tekton.dev/v1",
  ResolutionRequest: "resolution.tekton.dev/v1beta1",
  Job: "batch/v1",
  ServiceAccount: "v1",
};

/** Gives the test file a namespace, Tekton's kinds without Tekton, and running controllers of tests. */
export function useTesting(options: Partial<TestingOptions> = {}): TestedWorld {
  const namespace = `tenant-${crypto.randomUUID().slice(0, 8)}`;
  const calls: string[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  let metrics = createMetrics();
  let client: KubeClient;
  let player: PipelinePlayer;
  let running: { stop(): Promise<void> } | undefined;

  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    await installPromotion(client, silentLogger, AbortSignal.timeout(limitMs));
    await installTektonKinds(client);
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await application("shop");
    player = new PipelinePlayer(client, namespace);
    running = await start();
  });
  afterAll(async () => {
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
    await stop();
    await client.transport[Symbol.asyncDispose]();
  });

  async function start(changed: Partial<TestingOptions> = {}) {
    metrics = createMetrics();
    const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
    const counted = countedTransport(transport, ({ method, path }) => void calls.push(`${method} ${path}`));
    const clock = systemClock;
    const given = { client: createClient(counted), clock, random: Math.random, log, metrics, namespace };
    const controllers = createTesting({ ...given, ...options, ...changed });
    const ending = new AbortController();
    const ended = runControllers({ controllers, graceMs: 0, clock, log }, ending.signal);
    ended.catch(() => {});
    return {
      async stop() {
        ending.abort(new Error("stopped by the test"));
        await using _ = transport;
        await ended;
      },
    };
  }

  async function stop(): Promise<void> {
    const last = running;
    running = undefined;
    await last?.stop();
  }

  async function application(name: string): Promise<void> {
    const { apiVersion, kind } = Application;
    await client.create({ apiVersion, kind, metadata: { name, namespace }, spec: { displayName: name } });
  }

  function ref(kind: string, name: string): ObjectRef {
    return { apiVersion: versions[kind] ?? "v1", kind, namespace, name };
  }

  async function waitFor(asked: ObjectRef, isSo: (object: KubeObject | undefined) => boolean) {
    const end = systemClock.monotonic() + limitMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
      const found = await client.find(asked);
      if (isSo(found)) return found;
      if (systemClock.monotonic() > end) {
        const last = JSON.stringify([found?.metadata, found?.["status"]]);
        throw new Error(`${asked.kind} ${asked.name} was not as asked: ${last}`);
      }
      await systemClock.sleep(pauseMs);
    }
  }

  async function waitForMatch(snapshot: string, isSo: (entry: TestedEntry) => boolean): Promise<TestedEntry> {
    const found = await waitFor(ref("Snapshot", snapshot), (object) => entriesOf(object).some(isSo));
    const entry = entriesOf(found).find(isSo);
    if (!entry) throw new Error("it was there a moment ago");
    return entry;
  }

  return {
    namespace,
    get client() {
      return client;
    },
    get player() {
      return player;
    },
    get metrics() {
      return metrics;
    },
    calls,
    lines,
    application,
    async scenario(name, spec = {}, metadata = {}) {
      const { apiVersion, kind } = IntegrationTestScenario;
      const resolverRef = { resolver: "cluster", params: [{ name: "name", value: "e2e" }] };
      return client.create({
        apiVersion,
        kind,
        metadata: { namespace, name, ...metadata },
        spec: { ...("componentGroup" in spec ? {} : { application: "shop" }), resolverRef, ...spec },
      });
    },
    async snapshot(name, { application: owner = "shop", componentGroup, labels, annotations, components } = {}) {
      const image = `reg.local:5000/acme/web@sha256:${"0123456789abcdef".repeat(4)}`;
      const type = { [promotionLabels.snapshotType]: "component", [promotionLabels.component]: "web" };
      return client.create({
        apiVersion: Snapshot.apiVersion,
        kind: Snapshot.kind,
        metadata: { namespace, name, labels: { ...type, ...labels }, ...(annotations ? { annotations } : {}) },
        spec: {
          ...(componentGroup === undefined ? { application: owner } : { componentGroup }),
          components: components ?? [{ name: "web", containerImage: image }],
        },
      });
    },
    ref,
    entries: async (snapshot) => entriesOf(await client.find(ref("Snapshot", snapshot))),
    waitForEntry: (snapshot, scenario, status) =>
      waitForMatch(snapshot, (entry) => entry.scenario === scenario && entry.status === status),
    async waitForRun(snapshot, scenario, before) {
      const isSo = ({ scenario: name, testPipelineRunName: run, status }: TestedEntry) =>
        name === scenario && run !== undefined && run !== before && status === "InProgress";
      return (await waitForMatch(snapshot, isSo)).testPipelineRunName ?? "";
    },
    conditions: async (snapshot) => conditionsOf(await client.find(ref("Snapshot", snapshot))),
    async waitForCondition(snapshot, type, value) {
      const found = await waitFor(ref("Snapshot", snapshot), (object) => conditionsOf(object)[type] === value);
      return messageOf(found, type);
    },
    waitFor,
    async restart(changed) {
      await stop();
      running = await start(changed);
    },
    stop,
  };
}

function entriesOf(snapshot: KubeObject | undefined): readonly TestedEntry[] {
  return JSON.parse(snapshot?.metadata.annotations?.[promotionAnnotations.testStatus] ?? "[]");
}

function listConditions(object: KubeObject | undefined): Readonly<Record<string, unknown>>[] {
  const status = object?.["status"];
  return isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
}

function conditionsOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listConditions(object).map(({ type, status, reason }) => [String(type), `${String(status)}/${String(reason)}`]),
  );
}

function messageOf(object: KubeObject | undefined, type: string): string {
  return String(listConditions(object).find((condition) => condition["type"] === type)?.["message"]);
}
