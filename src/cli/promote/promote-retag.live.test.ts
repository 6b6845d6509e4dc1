import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRecord, silentLogger } from "#base";
import { accountUser, grantRights, testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, loadAccess, requestToken } from "#kube";
import { installPromotion, Release, ReleasePlan, Snapshot } from "#promotion";
import { readRaw, SamplePusher, startEmbeddedRegistry, startTokenProxy, type TestRegistry } from "#registry";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const namespace = `retag-${crypto.randomUUID().slice(0, 8)}`;
const account = "appstudio-pipeline";
const password = "password-of-the-robot";
let client: KubeClient;
let registry: TestRegistry;
let folder: string;
/** What a pod of the account has: a kubeconfig with its token. */
let ofAccount: string;

/** As the chart of tenants has them. */
const rules = [
  { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: [account], verbs: ["get"] },
  { apiGroups: [""], resources: ["secrets"], resourceNames: ["registry"], verbs: ["get"] },
  { apiGroups: ["appstudio.redhat.com"], resources: ["releases", "releaseplans"], verbs: ["get"] },
  { apiGroups: ["appstudio.redhat.com"], resources: ["snapshots"], verbs: ["get", "list"] },
  { apiGroups: ["appstudio.redhat.com"], resources: ["releases/status"], verbs: ["patch"] },
];

beforeAll(async () => {
  registry = await startEmbeddedRegistry();
  const access = await loadAccess({ kubeconfig: testKubeconfig() });
  client = createClient(connect(access));
  await installPromotion(client, silentLogger, AbortSignal.timeout(5 * 60_000));
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const metadata = { name: account, namespace };
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata, secrets: [{ name: "registry" }] });
  await grantRights(client, { ...metadata, user: accountUser(metadata), rules });
  folder = await mkdtemp(join(tmpdir(), "tenon-retag-"));
  ofAccount = join(folder, "kubeconfig");
  const { token } = await requestToken(client, metadata);
  const cluster = {
    server: access.server.href,
    "certificate-authority-data": Buffer.from(access.certificateAuthority ?? "").toString("base64"),
  };
  const config = {
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: token.reveal() } }],
    contexts: [{ name: "pod", context: { cluster: "c", user: "u", namespace } }],
    "current-context": "pod",
  };
  await writeFile(ofAccount, JSON.stringify(config));
});
afterAll(async () => {
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
  await client.transport[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function of({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  return { apiVersion, kind };
}

/** A Snapshot, a plan and a Release of one image. */
async function release(name: string, image: string, data: object = { mapping: { defaults: { tags: ["released"] } } }) {
  const metadata = { name, namespace };
  const components = [{ name: "web", containerImage: image }];
  await client.create({ ...of(Snapshot), metadata, spec: { application: "shop", components } });
  const params = [{ name: "tags", value: "by-param" }];
  const pipelineRef = { resolver: "cluster", params: [{ name: "name", value: "push-to-registry" }] };
  await client.create({
    ...of(ReleasePlan),
    metadata,
    spec: { application: "shop", data, tenantPipeline: { pipelineRef, params, serviceAccountName: account } },
  });
  await client.create({ ...of(Release), metadata, spec: { snapshot: name, releasePlan: name } });
}

async function retag(name: string, words: readonly string[] = [], kubeconfig = ofAccount, home = folder) {
  const shell = new FakeShell({ env: { NO_COLOR: "1", KUBECONFIG: kubeconfig, HOME: home } });
  const exitCode = await runCommandLine(["promote", "retag", "--release", `${namespace}/${name}`, ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

async function readRelease(name: string) {
  const found = await client.find({ apiVersion: Release.apiVersion, kind: Release.kind, namespace, name });
  const status = isRecord(found?.["status"]) ? found["status"] : {};
  return { artifacts: status["artifacts"], version: found?.metadata.resourceVersion };
}

test("P70: as the service account of its pod, it moves tags with the linked Secret, and notes the artifacts once", async () => {
  await using tokens = await startTokenProxy({ target: registry.url, user: "robot", password });
  const auth = Buffer.from(`robot:${password}`).toString("base64");
  await client.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "registry", namespace },
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": JSON.stringify({ auths: { [tokens.host]: { auth } } }) },
  });
  const index = await new SamplePusher(registry.url, "acme/pod").index();
  await release("pod", `${tokens.host}/acme/pod@${index.digest}`);

  const dry = await retag("pod", ["--dry-run"]);
  expect(dry).toMatchObject({ exitCode: 0, stderr: "" });
  expect(dry.stdout).toMatch(new RegExp(`acme/pod:released +- +${index.digest} +would be created`));
  expect(await readRaw(registry.url, "acme/pod", "released")).toBeUndefined();
  expect((await readRelease("pod")).artifacts).toBeUndefined();

  const moved = await retag("pod");
  expect(moved).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await readRaw(registry.url, "acme/pod", "released"))?.digest).toBe(index.digest);
  const urls = ["released", "by-param", "released-pod"].map((tag) => `${tokens.host}/acme/pod:${tag}`);
  const { artifacts, version } = await readRelease("pod");
  expect(artifacts).toEqual({
    images: [{ name: "web", arches: ["amd64", "arm64"], oses: ["linux"], shasum: index.digest, urls }],
  });
  expect((await retag("pod")).stdout).toMatch(/ unchanged$/m);
  expect((await readRelease("pod")).version).toBe(version);
  expect(dry.stdout + moved.stdout).not.toMatch(new RegExp(`${password}|${auth}`));
});

test("a person re-tags with their own credentials", async () => {
  const index = await new SamplePusher(registry.url, "acme/person").index();
  await release("person", `${registry.host}/acme/person@${index.digest}`);
  expect(await retag("person", [], testKubeconfig())).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await readRaw(registry.url, "acme/person", "released"))?.digest).toBe(index.digest);
});

test("what fails names the Release and what to change, and the exit code is 1", async () => {
  const index = await new SamplePusher(registry.url, "acme/wrong").index();
  await release("wrong", `${registry.host}/acme/wrong@${index.digest}`, {
    mapping: { defaults: { tags: ["{{ nope }}"] } },
  });
  const wrong = await retag("wrong");
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toContain(`Release ${namespace}/wrong: component web`);
  expect(wrong.stderr).toContain("the variable {{ nope }}");
  const absent = await retag("absent");
  expect(absent.exitCode).toBe(1);
  expect(absent.stderr).toContain(`Release ${namespace}/absent not found`);
});
