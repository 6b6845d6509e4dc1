import { afterAll, beforeAll } from "vitest";
import { createLogger, isRecord, silentLogger, systemClock } from "#base";
import { countedTransport, testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, type ObjectRef, refOf } from "#kube";
import { runControllers } from "#runtime";
import { createReleases, type ReleasesOptions } from "../create-releases.ts";
import { Application } from "../kinds/application.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { installPromotion } from "../policies/install-promotion.ts";

const limitMs = 5 * 60_000;
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

export interface SnapshotGiven {
  readonly application?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly components?: readonly object[];
  /** The condition of its tests; `undefined` for none yet. */
  readonly tests?: "True" | "False" | undefined;
}

export interface PlanGiven {
  readonly application?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

const retagPipeline = {
  pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
  serviceAccountName: "appstudio-pipeline",
};

/** A tenant's namespace, and controllers of releases that a test starts. */
export function useReleases(options: Partial<ReleasesOptions> = {}) {
  const namespace = `tenant-${crypto.randomUUID().slice(0, 8)}`;
  const calls: string[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const running = new Set<() => Promise<void>>();
  let client: KubeClient;

  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    await installPromotion(client, silentLogger, AbortSignal.timeout(limitMs));
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  });
  afterAll(async () => {
    await Promise.all([...running].map((stop) => stop()));
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
    await client.transport[Symbol.asyncDispose]();
  });

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

  function ref({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, name: string): ObjectRef {
    return { apiVersion, kind, namespace, name };
  }

  return {
    namespace,
    calls,
    lines,
    get client() {
      return client;
    },
    /** Starts a replica; the result ends it without a grace period. */
    async start(changed: Partial<ReleasesOptions> = {}): Promise<() => Promise<void>> {
      const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
      const counted = countedTransport(transport, ({ method, path }) => void calls.push(`${method} ${path}`));
      const given = { client: createClient(counted), clock: systemClock, random: Math.random, log, namespace };
      const controllers = createReleases({ ...given, ...options, ...changed });
      const ending = new AbortController();
      const ended = runControllers({ controllers, graceMs: 0, clock: systemClock, log }, ending.signal);
      ended.catch(() => {});
      const stop = async () => {
        if (!running.delete(stop)) return;
        ending.abort(new Error("stopped by the test"));
        await using _ = transport;
        await ended;
      };
      running.add(stop);
      return stop;
    },
    async application(name: string): Promise<void> {
      const { apiVersion, kind } = Application;
      await client.create({ apiVersion, kind, metadata: { name, namespace }, spec: { displayName: name } });
    },
    /** Creates a plan as alice, with standing attribution, that re-tags in place. */
    async plan(name: string, { application = "shop", labels, annotations, spec = {} }: PlanGiven = {}) {
      const alice = client.impersonate({ user: "alice", groups: ["system:masters"] });
      const { apiVersion, kind } = ReleasePlan;
      const metadata = {
        name,
        namespace,
        labels: { [promotionLabels.standingAttribution]: "true", ...labels },
        ...(annotations ? { annotations } : {}),
      };
      return alice.create({
        apiVersion,
        kind,
        metadata,
        spec: { application, tenantPipeline: retagPipeline, ...spec },
      });
    },
    /** Creates a Snapshot of a push to the component web that passed its tests, if nothing else is said. */
    async snapshot(name: string, given: SnapshotGiven = {}): Promise<KubeObject> {
      const { application = "shop", labels, annotations, components } = given;
      const { apiVersion, kind } = Snapshot;
      const type = { [promotionLabels.snapshotType]: "component", [promotionLabels.component]: "web" };
      const made = await client.create({
        apiVersion,
        kind,
        metadata: { name, namespace, labels: { ...type, ...labels }, ...(annotations ? { annotations } : {}) },
        spec: {
          application,
          components: components ?? [{ name: "web", containerImage: `reg.local:5000/acme/web@${digest}` }],
        },
      });
      const tests = "tests" in given ? given.tests : "True";
      if (tests === undefined) return made;
      return this.conclude(made, tests);
    },
    /** Says how the tests of a Snapshot went. */
    async conclude(snapshot: KubeObject, tests: "True" | "False"): Promise<KubeObject> {
      const condition = {
        type: snapshotConditions.tests,
        status: tests,
        reason: tests === "True" ? "Passed" : "Failed",
        message: "said by the test",
        lastTransitionTime: "2026-01-02T03:04:05Z",
      };
      const body = { status: { conditions: [condition] } };
      return client.patch(refOf(snapshot), { type: "merge", subresource: "status", body });
    },
    releasesOf: async (snapshot: string): Promise<readonly KubeObject[]> => {
      const { apiVersion, kind } = Release;
      const { items } = await client.list({ apiVersion, kind, namespace });
      return items.filter(({ spec }) => isRecord(spec) && spec["snapshot"] === snapshot);
    },
    /** The message of a Snapshot's condition AutoReleased, once it has one. */
    async waitForAutoReleased(snapshot: string): Promise<string> {
      const found = await waitFor(
        ref(Snapshot, snapshot),
        (object) => conditionsIn(object)[snapshotConditions.released] === "True/AutoReleased",
      );
      return messageIn(found, snapshotConditions.released);
    },
    waitFor,
    ref,
  };
}

function listConditions(object: KubeObject | undefined): Readonly<Record<string, unknown>>[] {
  const status = object?.["status"];
  return isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
}

/** `status/reason`, by the type of the condition. */
export function conditionsIn(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listConditions(object).map(({ type, status, reason }) => [String(type), `${String(status)}/${String(reason)}`]),
  );
}

export function messageIn(object: KubeObject | undefined, type: string): string {
  return String(listConditions(object).find((condition) => condition["type"] === type)?.["message"]);
}

/** The annotation with the start of a Snapshot's build. */
export function startedAt(value: number): Readonly<Record<string, string>> {
  return { [promotionAnnotations.buildStarted]: String(value) };
}
