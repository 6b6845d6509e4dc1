import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { compareText, packageFile, silentLogger, valueAt } from "#base";
import { startCluster, stopCluster } from "#cluster";
import { installKinds } from "#crd";
import { accountUser, grantRights, temporaryHome } from "#harness";
import {
  connect,
  createClient,
  isKubeObject,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type NewObject,
} from "#kube";
import {
  Application,
  Component,
  installPromotion,
  IntegrationTestScenario,
  promotionAnnotations,
  promotionLabels,
  Propagation,
  Release,
  ReleasePlan,
  Snapshot,
} from "#promotion";
import { readRaw, SamplePusher, startEmbeddedRegistry } from "#registry";
import { loadChart, renderChart } from "#template";
import { installTektonKinds } from "#tekton";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const never = new AbortController().signal;
const namespace = "tenon";
const tenant = "shop";
const user = `system:serviceaccount:${namespace}:tenon`;
const parts = ["builds", "tests", "releases", "propagation"];
const image = `reg.local:5000/acme/web@sha256:${"1".repeat(64)}`;

let home: Awaited<ReturnType<typeof temporaryHome>>;
let client: KubeClient;
let administrator: string;
let kubeconfig: string;

/** A cluster of its own: the job looks after all namespaces, and the cluster must not have its kinds at first. */
beforeAll(async () => {
  home = await temporaryHome();
  const cluster = await startCluster({ home, name: "promote" }, never);
  administrator = cluster.kubeconfig;
  client = createClient(connect(await loadAccess({ kubeconfig: administrator })));
  for (const name of [namespace, tenant]) {
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const values = { jobs: { couple: false, promote: true }, promote: { parts } };
  const chart = renderChart(loadChart(packageFile("charts", "tenon")), {
    values,
    release: { name: "tenon", namespace },
  });
  for (const { object } of chart.manifests) {
    if (!isKubeObject(object) || !/^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(object.kind)) continue;
    await client.apply(object, { fieldManager: "test", force: true });
  }
  // The account of the chart, by the administrator's rights to impersonate.
  kubeconfig = join(home.data, "tenon.kubeconfig");
  const text = await readFile(administrator, "utf8");
  await writeFile(kubeconfig, text.replace(/^( +)client-key-data:/m, `$1as: ${user}\n$1client-key-data:`));
  // The authorizer sees new roles some time after the server has stored them.
  const hasRights = async () => (await tenon(["doctor", "--rbac", ...rights], administrator)).exitCode === 0;
  await vi.waitUntil(hasRights, { timeout: 300_000 });
});
afterAll(async () => {
  await client.transport[Symbol.asyncDispose]();
  await stopCluster({ home, name: "promote" }, never);
  await home[Symbol.asyncDispose]();
});

const rights = ["--only", "promote", "--promote", parts.join(), "--tenon-namespace", namespace, "--as", user];

async function tenon(words: readonly string[], cluster: string) {
  const shell = new FakeShell({ env: { NO_COLOR: "1" } });
  const exitCode = await runCommandLine([...words, "--kubeconfig", cluster], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly kind?: string;
  readonly part?: string;
  readonly controller?: string;
  readonly port?: number;
  readonly error?: unknown;
}

/** `tenon run` with the rights of the chart. */
function start(...words: readonly string[]) {
  const ending = new AbortController();
  const env = { XDG_CACHE_HOME: home.data, PIPELINE_TIMEOUT: "2h", TASKS_TIMEOUT: "soon" };
  const shell = new FakeShell({ signal: ending.signal, env });
  const given = ["run", "--only", "promote", "--port", "0", "--tenon-namespace", namespace, "--kubeconfig", kubeconfig];
  const running = runCommandLine([...given, ...words], shell);
  const lines = (): Line[] =>
    shell.stderr.text
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  return {
    lines,
    async ready(): Promise<string> {
      const port = lines().find(({ msg }) => msg === "running")?.port;
      const answer = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
      return `${answer.status} ${await answer.text()}`;
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the test is over"));
      await running;
    },
  };
}

const ref = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, name: string) => ({
  apiVersion,
  kind,
  namespace: tenant,
  name,
});
const object = (of: { readonly apiVersion: string; readonly kind: string }, name: string, spec: object): NewObject => ({
  apiVersion: of.apiVersion,
  kind: of.kind,
  metadata: { name, namespace: tenant },
  spec,
});

async function createShop(): Promise<void> {
  await client.create(object(Application, "shop", { displayName: "Shop" }));
  const source = { git: { url: "https://git.example/acme/web", revision: "main" } };
  await client.create(object(Component, "web", { componentName: "web", application: "shop", source }));
  const job = { spec: { template: { spec: { containers: [{ name: "test", image }] } } } };
  await client.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "smoke", namespace: tenant },
    data: { "job.yaml": JSON.stringify({ apiVersion: "batch/v1", kind: "Job", ...job }) },
  });
  const params = [
    { name: "name", value: "job" },
    { name: "configMap", value: "smoke" },
  ];
  const resolverRef = { resolver: "builtin", params };
  await client.create(object(IntegrationTestScenario, "smoke", { application: "shop", resolverRef }));
}

const pipelineRun = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" };

/** A build by Tekton that has just succeeded. */
async function finishBuild(name: string): Promise<void> {
  const labels = { [promotionLabels.runType]: "build", [promotionLabels.component]: "web" };
  await client.create({ ...pipelineRun, metadata: { name, namespace: tenant, labels }, spec: {} });
  const [repository = "", digest = ""] = image.split("@");
  const results = [
    { name: "IMAGE_URL", value: `${repository}:latest` },
    { name: "IMAGE_DIGEST", value: digest },
    { name: "CHAINS-GIT_URL", value: "https://git.example/acme/web" },
    { name: "CHAINS-GIT_COMMIT", value: name },
  ];
  const conditions = [{ type: "Succeeded", status: "True", reason: "Succeeded" }];
  const startTime = new Date().toISOString();
  const body = { status: { results, conditions, startTime, completionTime: startTime } };
  await client.patch(ref(pipelineRun, name), { type: "merge", subresource: "status", body });
}

async function snapshotOf(build: string): Promise<string | undefined> {
  const run = await client.get(ref(pipelineRun, build));
  return run.metadata.annotations?.[promotionAnnotations.snapshot];
}

async function listJobs(snapshot: string | undefined): Promise<readonly KubeObject[]> {
  const labelSelector = `${promotionLabels.snapshot}=${snapshot}`;
  return (await client.list({ apiVersion: "batch/v1", kind: "Job", namespace: tenant, labelSelector })).items;
}

async function jobsOf(snapshot: string | undefined): Promise<number> {
  return (await listJobs(snapshot)).length;
}

function forbidden(lines: readonly Line[]): readonly string[] {
  return lines.filter((line) => /forbidden/i.test(JSON.stringify(line))).map((line) => JSON.stringify(line));
}

describe("tenon run --only promote, with the rights of the chart and no others", () => {
  test("P64: each kind that is absent is reported once by what needs it, and picked up when it appears", async () => {
    await using running = start("--promote", parts.join());
    const reported = (part?: string) =>
      running
        .lines()
        .filter((line) => line.part === part && line.msg.startsWith("the cluster does not have this kind"))
        .map(({ kind }) => kind ?? "")
        .toSorted(compareText);
    const awaited = [
      "applications.appstudio.redhat.com",
      "componentgroups.appstudio.redhat.com",
      "components.appstudio.redhat.com",
      "integrationtestscenarios.appstudio.redhat.com",
      "pipelineruns.tekton.dev",
      "propagations.tenon.dev",
      "releaseplans.appstudio.redhat.com",
      "releases.appstudio.redhat.com",
      "snapshots.appstudio.redhat.com",
    ];
    await expect.poll(() => reported()).toEqual(awaited);
    // All others it shares with the other parts.
    await expect
      .poll(() => reported("releases"))
      .toEqual([
        "pipelineruns.tekton.dev",
        "releaseplanadmissions.appstudio.redhat.com",
        "releaseserviceconfigs.appstudio.redhat.com",
      ]);
    await expect.poll(() => running.ready()).toMatch(/^200 /);
    for (const service of ["integration-service", "release-service"]) {
      expect((await running.ready()).split(`${service} of Konflux`)).toHaveLength(2);
    }

    await installPromotion(client, silentLogger, never);
    await createShop();
    await client.create({
      ...object(Snapshot, "by-hand", { application: "shop", components: [{ name: "web", containerImage: image }] }),
    });
    await expect.poll(() => jobsOf("by-hand")).toBe(1);
    // PIPELINE_TIMEOUT of the environment.
    expect((await listJobs("by-hand")).map((job) => valueAt(job, ["spec", "activeDeadlineSeconds"]))).toEqual([7_200]);
    const ignored = running.lines().filter(({ msg }) => msg === "a timeout is ignored");
    expect(JSON.stringify(ignored)).toContain('TASKS_TIMEOUT: \\"soon\\" is not a valid duration');

    await installTektonKinds(client);
    await finishBuild("build-1");
    await expect.poll(() => snapshotOf("build-1")).toMatch(/^shop-/);
    const made = await snapshotOf("build-1");
    await expect.poll(() => jobsOf(made)).toBe(1);

    await installKinds(client, [Propagation], { signal: never });
    const source = { images: [{ repository: "127.0.0.1:1/acme/web", tag: "released" }] };
    const stages = [{ name: "stage", repository: "/nowhere", branch: "main", forge: { kind: "plain" } }];
    await client.discovery.whenServed(Propagation, never);
    await client.create(object(Propagation, "shop", { source, stages }));
    await expect
      .poll(async () => valueAt(await client.get(ref(Propagation, "shop")), ["status", "conditions"]))
      .toBeDefined();
    expect(reported()).toEqual(awaited);
    expect(forbidden(running.lines())).toEqual([]);
  });

  test("P64: propagation runs alone, and leaves builds and Snapshots to others", async () => {
    await using running = start();
    await expect
      .poll(() => running.lines().flatMap(({ msg, controller }) => (msg === "started" ? [controller] : [])))
      .toEqual(["propagations"]);
    await expect.poll(() => running.ready()).toMatch(/^200 /);
    expect(forbidden(running.lines())).toEqual([]);
  });

  test("P29: a Snapshot that passed is released, a pipeline of Tekton runs, and both Releases can be deleted", async () => {
    await using registry = await startEmbeddedRegistry();
    const { host } = registry.url;
    const pushed = await new SamplePusher(registry.url, "acme/web").index();
    const account = { namespace: tenant, name: "appstudio-pipeline" };
    await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
    const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] }];
    await grantRights(client, { ...account, user: accountUser(account), rules });
    await using running = start("--promote", "releases", "--plain-http", host);
    const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };
    const data = { mapping: { defaults: { tags: ["released"] } } };
    const labels = { [promotionLabels.standingAttribution]: "true" };
    const plan = object(ReleasePlan, "released", { application: "sold", tenantPipeline: { pipelineRef }, data });
    await client.create({ ...plan, metadata: { ...plan.metadata, labels } });
    const components = [{ name: "web", containerImage: `${host}/acme/web@${pushed.digest}` }];
    await client.create(object(Snapshot, "passed", { application: "sold", components }));
    const lastTransitionTime = new Date().toISOString();
    const condition = {
      type: "AppStudioTestSucceeded",
      status: "True",
      reason: "Passed",
      message: "",
      lastTransitionTime,
    };
    const body = { status: { conditions: [condition] } };
    await client.patch(ref(Snapshot, "passed"), { type: "merge", subresource: "status", body });
    const digestAt = async (tag: string) => (await readRaw(registry.url, "acme/web", tag))?.digest;
    await expect.poll(() => digestAt("released"), { timeout: 300_000 }).toBe(pushed.digest);

    const params = ["url", "revision", "pathInRepo"].map((name) => ({ name, value: "0".repeat(40) }));
    const tenantPipeline = { pipelineRef: { resolver: "git", params } };
    await client.create(object(ReleasePlan, "tekton", { application: "sold", tenantPipeline }));
    const release = await client.create(object(Release, "by-hand", { snapshot: "passed", releasePlan: "tekton" }));
    const runs = async () =>
      (await client.list({ ...pipelineRun, namespace: tenant, labelSelector: `${promotionLabels.service}=release` }))
        .items;
    await expect.poll(async () => (await runs()).length).toBe(1);
    const releases = async () =>
      (await client.list({ apiVersion: Release.apiVersion, kind: Release.kind, namespace: tenant })).items;
    expect(await releases()).toHaveLength(2);
    for (const {
      metadata: { name },
    } of await releases())
      await client.delete(ref(Release, name));
    await expect.poll(async () => (await releases()).length, { timeout: 300_000 }).toBe(0);
    expect(await runs()).toEqual([]);
    expect(release.metadata.name).toBe("by-hand");
    expect(forbidden(running.lines())).toEqual([]);
  });

  test("builds and tests stand aside while integration-service of Konflux runs, and take over when it stops", async () => {
    const name = "integration-service-controller-manager";
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace, name };
    await client.create(integrationService(name));
    await using running = start("--promote", "builds,tests");
    const said = (text: string) => running.lines().filter(({ msg }) => msg.includes(text)).length;
    await expect.poll(() => said("Tenon stands aside")).toBe(1);
    await finishBuild("build-2");
    expect(await running.ready()).toContain(`Deployment ${namespace}/${name} runs`);
    expect(said("started")).toBe(0);
    expect(await snapshotOf("build-2")).toBeUndefined();

    await client.patch(deployment, { type: "merge", body: { spec: { replicas: 0 } } });
    await expect.poll(() => snapshotOf("build-2")).toMatch(/^shop-/);
    const started = said("started");

    // It comes back: what runs here ends, and starts again when it has gone.
    await client.patch(deployment, { type: "merge", body: { spec: { replicas: 1 } } });
    await expect.poll(() => said("stopped")).toBe(started);
    await finishBuild("build-3");
    expect(await snapshotOf("build-3")).toBeUndefined();
    await client.delete(deployment);
    await expect.poll(() => snapshotOf("build-3")).toMatch(/^shop-/);
    expect(forbidden(running.lines())).toEqual([]);
  });

  test("a held Lease of integration-service counts until it is not renewed any more", async () => {
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace, name: "03c7e15b.redhat.com" };
    const spec = { holderIdentity: "someone", leaseDurationSeconds: 100_000 };
    const { apiVersion, kind, name } = lease;
    await client.create({ apiVersion, kind, metadata: { namespace, name }, spec });
    await using running = start("--promote", "builds");
    const said = (text: string) => running.lines().filter(({ msg }) => msg.includes(text)).length;
    await expect.poll(() => said("Tenon stands aside")).toBe(1);
    expect(said("started")).toBe(0);
    await client.patch(lease, { type: "merge", body: { spec: { leaseDurationSeconds: 1 } } });
    await expect.poll(() => said("started")).toBeGreaterThan(0);
    await client.delete(lease);
  });
});

function integrationService(name: string): NewObject {
  const labels = { "control-plane": "controller-manager" };
  const containers = [{ name: "manager", image: "none.example/none" }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

test("`tenon doctor --rbac` finds that the chart grants the parts of promote all rights they need, and no others", async () => {
  const all = await tenon(["doctor", "--rbac", ...rights], administrator);
  expect(all.exitCode).toBe(0);
  expect(all.stdout).not.toMatch(/^(missing|not needed)/m);
  const one = await tenon(
    ["doctor", "--rbac", ...rights.map((word) => (word === parts.join() ? "propagation" : word))],
    administrator,
  );
  expect(one.stdout).toMatch(/^not needed +.*snapshots\.appstudio\.redhat\.com/m);
});

test("a limit of Snapshots that is not a number is refused before anything is deleted", async () => {
  const shell = new FakeShell({ env: { NO_COLOR: "1", PR_SNAPSHOTS_TO_KEEP: "few" } });
  const words = ["run", "--only", "promote", "--promote", "builds", "--port", "0", "--kubeconfig", administrator];
  expect(await runCommandLine(words, shell)).toBe(1);
  expect(shell.stderr.text).toContain('PR_SNAPSHOTS_TO_KEEP: expected a whole number, got "few"');
});

test("webhooks without propagation are refused", async () => {
  const words = ["run", "--only", "promote", "--promote", "tests", "--webhook-port", "0", "--port", "0"];
  const refused = await tenon(words, administrator);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("add propagation to --promote") });
});
