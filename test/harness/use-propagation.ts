import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createMetrics, type Metrics, silentLogger, systemClock } from "#base";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { createPropagation, Propagation, type PropagationController } from "#promotion";
import { runControllers } from "#runtime";
import { testKubeconfig } from "./test-kubeconfig.ts";

/** A namespace whose default service account may read Secrets and some health objects, with the kind Propagation installed. */
export interface PropagationWorld {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly metrics: Metrics;
  /** The running controller; Propagations of this namespace only. */
  readonly controller: PropagationController;
  createSecret(name: string, data: Readonly<Record<string, string>>): Promise<void>;
  apply(name: string, spec: unknown): Promise<void>;
  read(name: string): Promise<ReturnType<typeof Propagation.parse>>;
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
  let controller: PropagationController;
  let cache: string;
  let running: Promise<void>;
  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await installKinds(client, [Propagation], { signal: ending.signal });
    await client.discovery.whenServed({ apiVersion: Propagation.apiVersion, kind: Propagation.kind }, ending.signal);
    await grantReads(client, namespace);
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
  const { apiVersion, kind } = Propagation;
  return {
    namespace,
    metrics,
    get client() {
      return client;
    },
    get controller() {
      return controller;
    },
    async createSecret(name, data) {
      await client.create({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, stringData: data });
    },
    async apply(name, spec) {
      await client.apply(
        { apiVersion, kind, metadata: { namespace, name }, spec },
        { fieldManager: "tests", force: true },
        ending.signal,
      );
    },
    read: async (name) => Propagation.parse(await client.get({ apiVersion, kind, namespace, name }, ending.signal)),
  };
}

async function grantReads(client: KubeClient, namespace: string): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { namespace, name: "propagation" };
  const rules = [
    { apiGroups: [""], resources: ["secrets", "configmaps"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
  ];
  await client.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  await client.create({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "propagation" },
    subjects: [{ kind: "ServiceAccount", namespace, name: "default" }],
  });
}
