import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createMetrics, type Metrics, silentLogger, systemClock } from "#base";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { createPropagation, type PropagationController } from "#promotion";
import { runControllers } from "#runtime";
import { makePropagationNamespace, type PropagationNamespace } from "./propagation-namespace.ts";
import { testKubeconfig } from "./test-kubeconfig.ts";

export interface PropagationWorld extends PropagationNamespace {
  readonly metrics: Metrics;
  /** The running controller; Propagations of this namespace only. */
  readonly controller: PropagationController;
}

export interface PropagationWorldOptions {
  /** Whether the controller runs in this process; default true. */
  readonly runsController?: boolean;
}

/** Starts the controller of Propagations for the test file. Call it at the top level. */
export function usePropagation({ runsController = true }: PropagationWorldOptions = {}): PropagationWorld {
  const namespace = `propagate-${crypto.randomUUID().slice(0, 8)}`;
  const ending = new AbortController();
  const metrics = createMetrics();
  let client: KubeClient;
  let place: PropagationNamespace;
  let controller: PropagationController;
  let cache: string;
  let running: Promise<void>;
  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    place = await makePropagationNamespace(client, namespace, ending.signal);
    cache = await mkdtemp(join(tmpdir(), "tenon-propagate-"));
    const shared = { clock: systemClock, random: Math.random, log: silentLogger };
    controller = createPropagation({ ...shared, client, namespace, cache, metrics });
    const { controllers } = controller;
    running = runsController ? runControllers({ controllers, ...shared }, ending.signal) : Promise.resolve();
  });
  afterAll(async () => {
    ending.abort(new Error("the tests have ended"));
    await running;
    await controller[Symbol.asyncDispose]();
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
    await client.transport[Symbol.asyncDispose]();
    await rm(cache, { recursive: true, force: true });
  });
  return {
    namespace,
    metrics,
    get client() {
      return client;
    },
    get controller() {
      return controller;
    },
    createSecret: (name, data) => place.createSecret(name, data),
    apply: (name, spec) => place.apply(name, spec),
    read: (name) => place.read(name),
  };
}
