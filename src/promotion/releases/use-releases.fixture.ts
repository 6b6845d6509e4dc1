import { afterAll, beforeAll, vi } from "vitest";
import { createLogger, isRecord, silentLogger, systemClock } from "#base";
import { countedTransport, testKubeconfig } from "#harness";
import {
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type ObjectRef,
  refOf,
  reviewOwnAccess,
} from "#kube";
import { runControllers } from "#runtime";
import { installTektonKinds, PipelinePlayer } from "#tekton";
import { createReleases, type ReleasesOptions } from "../create-releases.ts";
import { Application } from "../kinds/application.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { installPromotion } from "../policies/install-promotion.ts";
import { releaseRunName } from "../runners/tekton/release-pipeline-run.ts";
import type { BuiltinPipeline } from "./builtin-runner.ts";
import type { ReleasePhase } from "./phase-runner.ts";

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

export interface AdmissionGiven {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly inNamespace?: string;
}

const resolveRevision = () => Promise.reject(new Error("tests name commits"));

/** A pipeline of Tekton. */
export const tektonPipeline = {
  pipelineRef: {
    resolver: "git",
    params: [
      { name: "url", value: "https://git.example/acme/pipelines" },
      { name: "revision", value: "0123456789abcdef0123456789abcdef01234567" },
      { name: "pathInRepo", value: "push.yaml" },
    ],
  },
  serviceAccountName: "appstudio-pipeline",
};

export const builtinRetag = {
  pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
  serviceAccountName: "appstudio-pipeline",
};

/** The same of a plan, with a tag. */
const tenantRetag = { ...builtinRetag, params: [{ name: "tags", value: "released" }] };

/** A tenant's namespace, and controllers of releases that a test starts. */
export function useReleases(options: Partial<ReleasesOptions> = {}) {
  const namespace = `tenant-${crypto.randomUUID().slice(0, 8)}`;
  const calls: string[] = [];
  const lines: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const running = new Set<() => Promise<void>>();
  const retagged: string[] = [];
  let client: KubeClient;
  let player: PipelinePlayer;

  /** Stands for the pipeline that moves tags: it notes what it was asked, and fails if the data says so. */
  const retag: BuiltinPipeline = async ({ release, data, serviceAccountName, namespace: inNamespace }) => {
    retagged.push(release.metadata.name);
    if (typeof data["refusal"] === "string") return { kind: "failed", message: data["refusal"] };
    return {
      kind: "succeeded",
      artifacts: { images: [{ name: "web" }], as: `${inNamespace}/${serviceAccountName}`, data },
    };
  };

  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    await installPromotion(client, silentLogger, AbortSignal.timeout(limitMs));
    await installTektonKinds(client);
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await client.create({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "appstudio-pipeline", namespace },
    });
    player = new PipelinePlayer(client, namespace);
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
    /** The Releases whose tags were moved, in order. */
    retagged,
    get client() {
      return client;
    },
    get player() {
      return player;
    },
    /** Starts a replica; the result ends it without a grace period. */
    async start(changed: Partial<ReleasesOptions> = {}): Promise<() => Promise<void>> {
      const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
      const counted = countedTransport(transport, ({ method, path }) => void calls.push(`${method} ${path}`));
      const given = { client: createClient(counted), clock: systemClock, random: Math.random, log, namespace };
      // With registries, tags are really moved.
      const own = { ...(changed.registries ? {} : { builtins: new Map([["retag", retag]]) }), resolveRevision };
      const controllers = createReleases({ ...given, ...own, serviceNamespace: namespace, ...options, ...changed });
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
    /** Ends every replica. */
    async stopAll(): Promise<void> {
      await Promise.all([...running].map((stop) => stop()));
    },
    /** As onboarding does. */
    async letAccountReadItself(): Promise<void> {
      const metadata = { name: "appstudio-pipeline-credentials", namespace };
      const apiVersion = "rbac.authorization.k8s.io/v1";
      const resourceNames = ["appstudio-pipeline"];
      const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], resourceNames, verbs: ["get"] }];
      await client.create({ apiVersion, kind: "Role", metadata, rules });
      await client.create({
        apiVersion,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: metadata.name },
        subjects: [{ kind: "ServiceAccount", name: "appstudio-pipeline", namespace }],
      });
      // The authorizer sees new Roles some time after the server has stored them.
      const acting = client.impersonate({ user: `system:serviceaccount:${namespace}:appstudio-pipeline` });
      const question = { verb: "get", resource: "serviceaccounts", namespace, name: "appstudio-pipeline" };
      await vi.waitUntil(async () => (await reviewOwnAccess(acting, question)).isAllowed, { timeout: limitMs });
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
        spec: { application, tenantPipeline: tenantRetag, ...spec },
      });
    },
    /** Creates a Release as bob. */
    async release(name: string, snapshot: string, plan: string, more: object = {}): Promise<KubeObject> {
      const bob = client.impersonate({ user: "bob", groups: ["system:masters"] });
      const { apiVersion, kind } = Release;
      return bob.create({
        apiVersion,
        kind,
        metadata: { name, namespace },
        spec: { snapshot, releasePlan: plan, ...more },
      });
    },
    /** Creates an admission of this namespace for itself, unless something else is said. */
    async admission(name: string, { labels, spec = {}, inNamespace = namespace }: AdmissionGiven = {}) {
      const { apiVersion, kind } = ReleasePlanAdmission;
      return client.create({
        apiVersion,
        kind,
        metadata: { name, namespace: inNamespace, ...(labels ? { labels } : {}) },
        spec: { applications: ["shop"], origin: namespace, policy: "default", ...spec },
      });
    },
    /** The conditions of a Release, once `Released` is this. */
    async waitForReleased(name: string, released: string): Promise<KubeObject> {
      const found = await waitFor(ref(Release, name), (object) => conditionsIn(object)["Released"] === released);
      if (!found) throw new Error("it was there a moment ago");
      return found;
    },
    /** The run of a phase, once it exists: its name. */
    async waitForRun(release: string, phase: ReleasePhase, attempt = 0): Promise<string> {
      const object = await client.get(ref(Release, release));
      const name = releaseRunName(object, phase, attempt);
      await waitFor({ apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace, name }, (run) => run !== undefined);
      return name;
    },
    runsOf: async (release: string): Promise<readonly KubeObject[]> => {
      const labelSelector = `${promotionLabels.releaseName}=${release}`;
      const selection = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", labelSelector };
      const { items } = await client.list(selection);
      return items.filter(({ metadata }) => metadata.labels?.[promotionLabels.releaseNamespace] === namespace);
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
