import { afterAll, beforeAll } from "vitest";
import { createLogger, systemClock } from "#base";
import { countedTransport, testKubeconfig } from "#harness";
import {
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type NewObject,
  type ObjectRef,
} from "#kube";
import { runControllers } from "#runtime";
import { installTektonKinds } from "#tekton";
import { createIntake, type IntakeOptions } from "../create-intake.ts";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { pacPrefix, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { installPromotion } from "../policies/install-promotion.ts";
import { buildRunKind } from "./build-run.ts";

const limitMs = 5 * 60_000;
export const registry = "reg.local:5000/acme";

/** `sha256:` and a digit, repeated. */
export function sampleDigest(digit: number): string {
  return `sha256:${String(digit).repeat(64)}`;
}

export interface RunOptions {
  readonly component?: string;
  readonly digit?: number;
  readonly startTime?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Results instead of those of a good build; undefined leaves one out. */
  readonly results?: Readonly<Record<string, string | undefined>>;
  /** Default: True. */
  readonly succeeded?: "True" | "False" | "Unknown";
}

/** A namespace with the Application `shop` and the Components `web`, `api` and `db`. */
export interface Shop {
  readonly namespace: string;
  ref(kind: "Application" | "Component" | "Snapshot" | "PipelineRun", name: string): ObjectRef;
  /** Creates a build run in the state that the options say. */
  build(name: string, options?: RunOptions): Promise<KubeObject>;
  /** Changes the status of a run. */
  finish(name: string, options?: RunOptions): Promise<void>;
  /** The object, once it is so. */
  waitFor(ref: ObjectRef, isSo: (object: KubeObject) => boolean): Promise<KubeObject>;
  /** The Snapshot of a run, once the run names it. */
  snapshotOf(run: string): Promise<KubeObject>;
  snapshots(): Promise<readonly KubeObject[]>;
  create(object: NewObject): Promise<KubeObject>;
}

export interface IntakeWorld {
  readonly client: KubeClient;
  /** The calls of the controllers so far, except watches; tests empty it. */
  readonly calls: string[];
  shop(components?: readonly string[]): Promise<Shop>;
  start(options?: Partial<IntakeOptions>): Promise<void>;
  /** Without a grace period. */
  stop(): Promise<void>;
}

/** Gives the test file running controllers of builds and Snapshots. */
export function useIntake(options: Partial<IntakeOptions> = {}): IntakeWorld {
  const calls: string[] = [];
  const namespaces: string[] = [];
  let client: KubeClient;
  let running: { stop(): Promise<void> } | undefined;

  async function start(changed: Partial<IntakeOptions> = {}): Promise<void> {
    running = await startIntake({ ...options, ...changed }, calls);
  }
  async function stop(): Promise<void> {
    const last = running;
    running = undefined;
    await last?.stop();
  }

  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    await installPromotion(client, createLogger({ destination: { write: () => {} } }), AbortSignal.timeout(limitMs));
    await installTektonKinds(client);
    await start();
  });
  afterAll(async () => {
    for (const name of namespaces) await client.delete({ apiVersion: "v1", kind: "Namespace", name });
    await stop();
    await client.transport[Symbol.asyncDispose]();
  });

  return {
    get client() {
      return client;
    },
    calls,
    start,
    stop,
    async shop(components = ["web", "api", "db"]) {
      const namespace = `shop-${crypto.randomUUID().slice(0, 8)}`;
      namespaces.push(namespace);
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const { apiVersion, kind } = Application;
      await client.create({ apiVersion, kind, metadata: { name: "shop", namespace }, spec: { displayName: "Shop" } });
      await Promise.all(components.map((name) => client.create(componentOf(name, namespace))));
      return openShop(namespace, client);
    },
  };
}

export function componentOf(name: string, namespace: string): NewObject {
  const { apiVersion, kind } = Component;
  const source = { git: { url: `https://git.example/acme/${name}`, revision: "main" } };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { componentName: name, application: "shop", source },
  };
}

const isNamed = ({ metadata }: KubeObject) => metadata.annotations?.[promotionAnnotations.snapshot] !== undefined;

function openShop(namespace: string, client: KubeClient): Shop {
  const kinds = { Application, Component, Snapshot, PipelineRun: buildRunKind };
  const ref: Shop["ref"] = (kind, name) => ({ apiVersion: kinds[kind].apiVersion, kind, namespace, name });

  async function waitFor(asked: ObjectRef, isSo: (object: KubeObject) => boolean): Promise<KubeObject> {
    const end = systemClock.monotonic() + limitMs;
    for (;;) {
      const found = await client.find(asked);
      if (found && isSo(found)) return found;
      if (systemClock.monotonic() > end) {
        throw new Error(`${asked.kind} ${asked.name} was not as asked: ${JSON.stringify(found, undefined, 1)}`);
      }
      await systemClock.sleep(30);
    }
  }

  async function finish(name: string, options: RunOptions = {}): Promise<void> {
    const patch = { type: "merge", subresource: "status", body: { status: statusOf(options) } } as const;
    await client.patch(ref("PipelineRun", name), patch);
  }

  return {
    namespace,
    ref,
    waitFor,
    finish,
    create: (object) => client.create({ ...object, metadata: { ...object.metadata, namespace } }),
    async build(name, options = {}) {
      const { component = "web", labels = {}, annotations = {} } = options;
      const run = await client.create({
        ...buildRunKind,
        metadata: {
          name,
          namespace,
          labels: { [promotionLabels.runType]: "build", [promotionLabels.component]: component, ...labels },
          annotations,
        },
        spec: {},
      });
      if (options.succeeded !== "Unknown") await finish(name, options);
      return run;
    },
    async snapshotOf(run) {
      const named = await waitFor(ref("PipelineRun", run), isNamed);
      return await client.get(ref("Snapshot", named.metadata.annotations?.[promotionAnnotations.snapshot] ?? ""));
    },
    async snapshots() {
      const { apiVersion, kind } = Snapshot;
      return (await client.list({ apiVersion, kind, namespace })).items;
    },
  };
}

/** What Pipelines-as-Code says of a pull request. */
export function pullRequest(number: string, branch: string): Pick<RunOptions, "labels" | "annotations"> {
  return {
    labels: { [`${pacPrefix}pull-request`]: number, [`${pacPrefix}event-type`]: "pull_request" },
    annotations: { [`${pacPrefix}source-branch`]: branch, [`${pacPrefix}repo-url`]: "https://git.example/acme/web" },
  };
}

function statusOf({
  component = "web",
  digit = 1,
  startTime = "2026-01-02T03:04:05.678Z",
  ...options
}: RunOptions): object {
  const results: Readonly<Record<string, string | undefined>> = {
    IMAGE_URL: `${registry}/${component}:build-1`,
    IMAGE_DIGEST: sampleDigest(digit),
    "CHAINS-GIT_URL": `https://git.example/acme/${component}`,
    "CHAINS-GIT_COMMIT": `c${digit}`,
    ...options.results,
  };
  const status = options.succeeded ?? "True";
  return {
    startTime,
    ...(status === "Unknown" ? {} : { completionTime: new Date(Date.parse(startTime) + 60_000).toISOString() }),
    conditions: [{ type: "Succeeded", status, reason: "Test", message: "" }],
    results: Object.entries(results).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, type: "string", value }],
    ),
  };
}

async function startIntake(options: Partial<IntakeOptions>, calls: string[]): Promise<{ stop(): Promise<void> }> {
  const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const log = createLogger({ level: "debug", destination: { write: () => {} } });
  const client = createClient(countedTransport(transport, ({ method, path }) => void calls.push(`${method} ${path}`)));
  const controllers = createIntake({ client, clock: systemClock, random: Math.random, log, ...options });
  const ending = new AbortController();
  const run = runControllers({ controllers, graceMs: 0, clock: systemClock, log }, ending.signal);
  // `stop` awaits it and sees the error.
  run.catch(() => {});
  return {
    async stop() {
      ending.abort(new Error("stopped by the test"));
      try {
        await run;
      } finally {
        await transport[Symbol.asyncDispose]();
      }
    },
  };
}

/** The writes of the controllers that are in a namespace. */
export function writesTo(calls: readonly string[], namespace: string): readonly string[] {
  return calls.filter((call) => !call.startsWith("GET ") && call.includes(`/${namespace}/`));
}
