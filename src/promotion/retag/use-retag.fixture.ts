import { createHash } from "node:crypto";
import { afterAll, beforeAll, vi } from "vitest";
import { createMetrics, systemClock } from "#base";
import { testKubeconfig } from "#harness";
import {
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type NewObject,
  reviewOwnAccess,
} from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { actAs } from "./account-secrets.ts";
import { RepositoryLocks } from "./repository-locks.ts";
import { retagMetrics } from "./retag-metrics.ts";
import { type RetagDeps, retagRelease, type RetagRequest } from "./retag-release.ts";

export const pipelineAccount = "appstudio-pipeline";

export interface ComponentGiven {
  readonly name: string;
  /** With its digest. */
  readonly image: string;
  readonly revision?: string;
}

export interface RequestGiven {
  readonly components: readonly ComponentGiven[];
  readonly snapshot?: string;
  /** Milliseconds since 1970. */
  readonly started?: number;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly releaseData?: Readonly<Record<string, unknown>>;
  readonly params?: RetagRequest["params"];
  readonly isDryRun?: boolean;
}

/** A namespace with the service account of pipelines, and releases of Snapshots that a test makes up. */
export function useRetag() {
  const namespace = `retag-${crypto.randomUUID().slice(0, 8)}`;
  const snapshots: KubeObject[] = [];
  const metrics = createMetrics();
  let client: KubeClient;
  let base: RetagDeps;

  beforeAll(async () => {
    client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    base = {
      clock: systemClock,
      metrics: retagMetrics(metrics),
      actAs: (inNamespace, name) => actAs(client, inNamespace, name),
      snapshotsIn: () => snapshots,
      locks: new RepositoryLocks(),
    };
    await create("ServiceAccount", pipelineAccount);
    await letRead(pipelineAccount, [], { serviceaccounts: [pipelineAccount] });
  });
  afterAll(async () => {
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
    await client.transport[Symbol.asyncDispose]();
  });

  async function create(kind: string, name: string, rest: object = {}): Promise<KubeObject> {
    const apiVersion = kind.startsWith("Role") ? "rbac.authorization.k8s.io/v1" : "v1";
    return await client.create({ apiVersion, kind, metadata: { name, namespace }, ...rest } satisfies NewObject);
  }

  /** Lets a service account read Secrets by name, and other objects. */
  async function letRead(
    account: string,
    secrets: readonly string[],
    others: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<void> {
    const name = `read-${createHash("sha256")
      .update(`${account} ${secrets.join()} ${Object.keys(others).join()}`)
      .digest("hex")
      .slice(0, 10)}`;
    const all = Object.entries({ ...others, ...(secrets.length > 0 ? { secrets } : {}) });
    const rules = all.map(([resource, resourceNames]) => ({
      apiGroups: [""],
      resources: [resource],
      resourceNames,
      verbs: ["get"],
    }));
    await create("Role", name, { rules });
    await create("RoleBinding", name, {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    });
    // The authorizer sees new Roles some time after the server has stored them.
    const acting = client.impersonate({ user: `system:serviceaccount:${namespace}:${account}` });
    for (const [resource, [first]] of all) {
      const question = { verb: "get", resource, namespace, name: first };
      await vi.waitUntil(async () => (await reviewOwnAccess(acting, question)).isAllowed, { timeout: 300_000 });
    }
  }

  function snapshotOf(given: RequestGiven): KubeObject {
    const { components, snapshot: name = "shop-1", started = Date.UTC(2026, 0, 2) } = given;
    return {
      apiVersion: Snapshot.apiVersion,
      kind: Snapshot.kind,
      metadata: {
        name,
        namespace,
        labels: { [promotionLabels.snapshotType]: "component", [promotionLabels.component]: components[0]?.name ?? "" },
        annotations: { [promotionAnnotations.buildStarted]: String(started) },
      },
      spec: {
        application: "shop",
        components: components.map(({ name: component, image, revision = "" }) => ({
          name: component,
          containerImage: image,
          source: { git: { url: "https://git.example/acme/web", revision } },
        })),
      },
    };
  }

  return {
    namespace,
    metrics,
    /** All Snapshots of the namespace. */
    snapshots,
    get client() {
      return client;
    },
    create,
    letRead,
    snapshotOf,
    /** A Secret with credentials for registries, linked to nothing. */
    async dockerSecret(name: string, auths: Readonly<Record<string, string>>): Promise<void> {
      const entries = Object.entries(auths).map(([key, login]) => [
        key,
        { auth: Buffer.from(login).toString("base64") },
      ]);
      const stringData = { ".dockerconfigjson": JSON.stringify({ auths: Object.fromEntries(entries) }) };
      await create("Secret", name, { type: "kubernetes.io/dockerconfigjson", stringData });
    },
    retag(
      given: RequestGiven,
      changed: Partial<RetagDeps> = {},
      account = pipelineAccount,
      signal = AbortSignal.timeout(5 * 60_000),
    ) {
      const { data = { mapping: { defaults: { tags: ["released"] } } }, releaseData, params = [], isDryRun } = given;
      const snapshot = snapshotOf(given);
      const metadata = { name: "by-test", namespace, creationTimestamp: "2026-01-02T03:04:05Z" };
      const request: RetagRequest = {
        namespace,
        serviceAccountName: account,
        release: {
          apiVersion: Release.apiVersion,
          kind: Release.kind,
          metadata,
          spec: {
            snapshot: snapshot.metadata.name,
            releasePlan: "released",
            ...(releaseData && { data: releaseData }),
          },
        },
        plan: { apiVersion: ReleasePlan.apiVersion, kind: ReleasePlan.kind, metadata, spec: { application: "shop" } },
        snapshot,
        data,
        params,
        ...(isDryRun === undefined ? {} : { isDryRun }),
      };
      return retagRelease(request, { ...base, ...changed }, signal);
    },
  };
}
