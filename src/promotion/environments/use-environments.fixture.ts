import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { type Clock, createLogger, isRecord, silentLogger, systemClock } from "#base";
import { countedTransport, grantRights, revokeRights, testKubeconfig } from "#harness";
import {
  type ClusterAccess,
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type ObjectRef,
} from "#kube";
import { runControllers } from "#runtime";
import { installTektonKinds } from "#tekton";
import { createEnvironments, type EnvironmentsOptions } from "../create-environments.ts";
import { environmentRights } from "../environment-rights.ts";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { EphemeralClass } from "../kinds/ephemeral-class.ts";
import { phaseOfClaim } from "./claim-facts.ts";
import { RemoteClusters } from "./cluster-provider.ts";
import { environmentName } from "./environment-provider.ts";
import { installEnvironments } from "./install-environments.ts";
import { rememberInstallation } from "./installation.ts";

const limitMs = 5 * 60_000;

/** Time that is so much later than it is. */
export function laterBy(ms: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + ms };
}

/** A tenant's namespace, and controllers of environments that a test starts, with the rights that they declare. */
export function useEnvironments() {
  const namespace = `tenant-${crypto.randomUUID().slice(0, 8)}`;
  const calls: string[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const running = new Set<() => Promise<void>>();
  const disposals = new AsyncDisposableStack();
  let client: KubeClient;
  let access: ClusterAccess;

  beforeAll(async () => {
    access = await loadAccess({ kubeconfig: testKubeconfig() });
    client = createClient(disposals.use(connect(access)));
    await installEnvironments(client, silentLogger, AbortSignal.timeout(limitMs));
    await installTektonKinds(client);
    for (const { apiVersion, kind } of [EphemeralClass, EphemeralClaim]) {
      await client.discovery.whenServed({ apiVersion, kind }, AbortSignal.timeout(limitMs));
    }
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await grantRights(client, grant);
  });
  afterAll(async () => {
    // Claims need a controller to end.
    await start();
    for (const { metadata } of (await client.list(claims)).items) {
      await client.delete({ ...claims, name: metadata.name });
    }
    await vi.waitUntil(async () => (await client.list(claims)).items.length === 0, { timeout: limitMs });
    await Promise.all([...running].map((stop) => stop()));
    await revokeRights(client, grant);
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
    await disposals.disposeAsync();
  });

  /** As the chart grants them. */
  const grant = {
    name: namespace,
    user: namespace,
    rules: environmentRights.map(({ apiGroup, resources, verbs, names }) => ({
      apiGroups: [apiGroup],
      resources,
      verbs,
      resourceNames: names,
    })),
  };

  const claims = { apiVersion: EphemeralClaim.apiVersion, kind: EphemeralClaim.kind, namespace };
  const className = (name: string) => `${namespace}-${name}`;

  async function waitFor(asked: ObjectRef, isSo: (object: KubeObject | undefined) => boolean) {
    const end = systemClock.monotonic() + limitMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
      const found = await client.find(asked);
      if (isSo(found)) return found;
      if (systemClock.monotonic() > end) {
        throw new Error(`${asked.kind} ${asked.name} was not as asked: ${JSON.stringify([found, lines.slice(-5)])}`);
      }
      await systemClock.sleep(pauseMs);
    }
  }

  /** Starts a replica with Tenon's own rights; the result ends it without a grace period. */
  async function start(changed: Partial<EnvironmentsOptions> = {}): Promise<() => Promise<void>> {
    const transport = connect(access);
    const counted = countedTransport(transport, ({ method, path }) => void calls.push(`${method} ${path}`));
    const tenon = createClient(counted).impersonate({ user: namespace });
    const installation = rememberInstallation(tenon);
    const clusters = new RemoteClusters({ client: tenon, namespace, installation });
    const controllers = createEnvironments({
      client: tenon,
      clock: systemClock,
      random: Math.random,
      log,
      namespace,
      server: access.server.href.replace(/\/$/, ""),
      certificateAuthority: access.certificateAuthority,
      clusters,
      installation,
      ...changed,
    });
    const ending = new AbortController();
    const clock = changed.clock ?? systemClock;
    const ended = runControllers({ controllers, graceMs: 0, clock, log }, ending.signal);
    ended.catch(() => {});
    const stop = async (): Promise<void> => {
      running.delete(stop);
      ending.abort(new Error("the test ends this replica"));
      await ended.catch(() => {});
      await clusters[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    };
    running.add(stop);
    return stop;
  }

  return {
    namespace,
    calls,
    lines,
    claims,
    className,
    waitFor,
    get client() {
      return client;
    },
    get access() {
      return access;
    },
    start,
    async createClass(name: string, spec: object = {}): Promise<string> {
      const { apiVersion, kind } = EphemeralClass;
      await client.create({ apiVersion, kind, metadata: { name: className(name) }, spec });
      return className(name);
    },
    createClaim(name: string, spec: object, metadata: object = {}): Promise<KubeObject> {
      return client.create({
        apiVersion: claims.apiVersion,
        kind: claims.kind,
        metadata: { name, namespace, ...metadata },
        spec: { ...spec },
      });
    },
    /** Waits until a claim is in this phase; undefined waits until it is gone. */
    async untilPhase(name: string, phase: string | undefined): Promise<KubeObject> {
      const found = await waitFor({ ...claims, name }, (claim) =>
        claim === undefined ? phase === undefined : phase !== undefined && phaseOfClaim(claim) === phase,
      );
      return found ?? { ...claims, metadata: { name } };
    },
    async untilNamespaceIsGone(name: string): Promise<void> {
      await waitFor({ apiVersion: "v1", kind: "Namespace", name }, (found) => found === undefined);
    },
    createRun(name: string): Promise<KubeObject> {
      const run = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", metadata: { name, namespace }, spec: {} };
      return client.create(run);
    },
    environmentOf: ({ metadata: { uid = "" } }: KubeObject): string => environmentName({ uid }),
    /** A client with the kubeconfig of a claim. */
    async clientOf(claim: string): Promise<KubeClient> {
      const ref = { apiVersion: "v1", kind: "Secret", namespace, name: `${claim}-kubeconfig` };
      const { data } = await client.get(ref);
      const text = isRecord(data) ? String(data["kubeconfig"]) : "";
      await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-environment-"));
      const file = join(folder.path, "kubeconfig");
      await writeFile(file, Buffer.from(text, "base64"));
      return createClient(disposals.use(connect(await loadAccess({ kubeconfig: file }))));
    },
  };
}

/** The message of a condition of a claim. */
export function messageOf(claim: KubeObject | undefined, type = "Ready"): string {
  const status = claim?.["status"];
  const conditions =
    isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  return String(conditions.find((condition) => condition["type"] === type)?.["message"]);
}
