import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isRecord, silentLogger } from "#base";
import { type HttpProxy, type RequestView, seededRandom, startHttpProxy } from "#faults";
import { testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import {
  conditionState,
  installPromotion,
  promotionAnnotations,
  promotionLabels,
  Release,
  releaseConditions,
  ReleasePlan,
  Snapshot,
} from "#promotion";
import { readRaw, SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { seed } from "#seeded";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { type PromoteProcess, startPromote } from "./propagation/promote-process.ts";

const account = "appstudio-pipeline";
const limit = { timeout: 300_000, interval: 50 };
let client: KubeClient;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installPromotion(client, silentLogger, AbortSignal.timeout(300_000));
});
afterAll(async () => {
  await client.transport[Symbol.asyncDispose]();
});

/** Where Tenon is killed: at a write to Kubernetes or a request to the registry, which the server gets or does not get. */
interface KillPoint {
  readonly request: number;
  readonly moment: "before" | "after";
}

/** A tenant with a plan that moves the tag `released`, and two Snapshots of one component that pass at the same time. */
class Tenant {
  readonly namespace = `tenant-${crypto.randomUUID().slice(0, 8)}`;
  readonly digests: string[] = [];

  async prepare(): Promise<void> {
    const { namespace } = this;
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } });
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const metadata = { name: account, namespace };
    const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] }];
    await client.create({ apiVersion, kind: "Role", metadata, rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account };
    const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
    await client.create({ apiVersion, kind: "RoleBinding", metadata, roleRef, subjects });
    const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };
    await client.create({
      apiVersion: ReleasePlan.apiVersion,
      kind: ReleasePlan.kind,
      metadata: { name: "released", namespace, labels: { [promotionLabels.standingAttribution]: "true" } },
      spec: {
        application: "shop",
        tenantPipeline: { pipelineRef, serviceAccountName: account },
        data: { mapping: { defaults: { tags: ["released"] } } },
      },
    });
  }

  async createTwo(registry: TestRegistry, host: string): Promise<void> {
    const { namespace } = this;
    for (const [index, name] of ["older", "newer"].entries()) {
      const { digest } = await new SamplePusher(registry.url, `acme/${namespace}`).image(name);
      this.digests.push(digest);
      await client.create({
        apiVersion: Snapshot.apiVersion,
        kind: Snapshot.kind,
        metadata: {
          name,
          namespace,
          labels: { [promotionLabels.snapshotType]: "component", [promotionLabels.component]: "web" },
          annotations: {
            [promotionAnnotations.buildStarted]: String(Date.parse("2026-01-02T10:00:00Z") + index * 60_000),
            [promotionAnnotations.ignoreSupersession]: "true",
          },
        },
        spec: {
          application: "shop",
          components: [{ name: "web", containerImage: `${host}/acme/${namespace}@${digest}` }],
        },
      });
    }
  }

  /** Both pass their tests. */
  async conclude(): Promise<void> {
    const { namespace } = this;
    for (const name of ["older", "newer"]) {
      const lastTransitionTime = "2026-01-02T03:04:05Z";
      const condition = {
        type: "AppStudioTestSucceeded",
        status: "True",
        reason: "Passed",
        message: "",
        lastTransitionTime,
      };
      const ref = { apiVersion: Snapshot.apiVersion, kind: Snapshot.kind, namespace, name };
      await client.patch(ref, { type: "merge", subresource: "status", body: { status: { conditions: [condition] } } });
    }
  }

  async releases(): Promise<readonly KubeObject[]> {
    const { apiVersion, kind } = Release;
    return (await client.list({ apiVersion, kind, namespace: this.namespace })).items;
  }

  /** The Snapshots of Releases that are finished, each as often as it was released. */
  async released(): Promise<readonly string[]> {
    return (await this.releases())
      .filter((release) => conditionState(release, releaseConditions.released) === "succeeded")
      .map(({ spec }) => (isRecord(spec) ? String(spec["snapshot"]) : ""))
      .toSorted();
  }

  async tags(registry: TestRegistry): Promise<readonly (string | undefined)[]> {
    const names = ["released-older", "released-newer", "released"];
    return await Promise.all(
      names.map(async (tag) => (await readRaw(registry.url, `acme/${this.namespace}`, tag))?.digest),
    );
  }
}

const fewestPoints = 40;
/** Each takes seconds; all points are for `make soak`. */
const pointsInTest = 20;

/** Holds the request of a kill point, among those of the tenant. */
function watchRequests({ namespace }: Tenant, [cluster, images]: readonly [HttpProxy, HttpProxy], point?: KillPoint) {
  const seen: string[] = [];
  const notice = ({ method, path }: RequestView): boolean => {
    seen.push(`${method} ${path}`);
    return seen.length === point?.request;
  };
  const isCluster = ({ method, path }: RequestView) => method !== "GET" && path.includes(`/namespaces/${namespace}/`);
  const isImage = ({ path }: RequestView) => path.includes(`/acme/${namespace}/`);
  const silence = { at: point?.moment === "after" ? "headers" : "request", times: 1 } as const;
  const rules = [
    cluster.silence({ ...silence, match: (request) => isCluster(request) && notice(request) }),
    images.silence({ ...silence, match: (request) => isImage(request) && notice(request) }),
  ];
  return {
    seen,
    reached: Promise.race(rules.map(({ reached }) => reached)),
    release: () => rules.forEach((rule) => rule.remove()),
  };
}

test(`killed at any request of two releases and their tags, and started again: one Release each, and the newest image has the tag (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-release-"));
  await using registry = await startEmbeddedRegistry();
  await using cluster = await startProxyTo(testKubeconfig());
  await using images = await startHttpProxy({ target: registry.url });
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: cluster.url });
  await using children = new AsyncDisposableStack();
  const words = ["--promote", "releases", "--plain-http", images.url.host];
  const start = (): PromoteProcess => children.use(startPromote(directory.path, "proxied", words));
  let running = start();

  async function runCase(point?: KillPoint): Promise<readonly string[]> {
    const tenant = new Tenant();
    await tenant.prepare();
    await tenant.createTwo(registry, images.url.host);
    const watched = watchRequests(tenant, [cluster, images], point);
    await tenant.conclude();
    const where = `killed at ${JSON.stringify(point)}`;
    const areReleased = async () => (await tenant.released()).join() === "newer,older";
    const whenReleased = () => vi.waitUntil(areReleased, limit);
    if (point) {
      // Another order of the two releases may leave this request out.
      await Promise.race([watched.reached, whenReleased()]);
      await running.kill();
      watched.release();
      running = start();
    }
    await whenReleased().catch((error: unknown) => {
      throw new Error(`${where}: ${running.log().slice(-4_000)}`, { cause: error });
    });
    watched.release();
    const [older, newer] = tenant.digests;
    const count = (await tenant.releases()).length;
    expect({ where, count, tags: await tenant.tags(registry) }).toEqual({
      where,
      count: 2,
      tags: [older, newer, newer],
    });
    // Four writes of three tags, and those that were repeated; a tag that is there already is not written again.
    expect(watched.seen.filter((request) => request.startsWith("PUT")).length).toBeLessThanOrEqual(6);
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: tenant.namespace });
    return watched.seen;
  }

  const requests = await runCase();
  const points = requests
    .flatMap((_, index) => (["before", "after"] as const).map((moment) => ({ request: index + 1, moment })))
    .map((point) => ({ point, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ point }) => point);
  expect(points.length).toBeGreaterThanOrEqual(fewestPoints);
  for (const point of process.env["TENON_SOAK"] ? points : points.slice(0, pointsInTest)) await runCase(point);
}, 1_800_000);
