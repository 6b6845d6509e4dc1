import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger, valueAt } from "#base";
import { testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, refOf } from "#kube";
import {
  Application,
  Component,
  installPromotion,
  IntegrationTestScenario,
  parseTestStatuses,
  promotionAnnotations,
  promotionLabels,
  Snapshot,
  upstreamGroup,
} from "#promotion";
import { installTektonKinds, PipelinePlayer, testOutput } from "#tekton";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { startPromote } from "./propagation/promote-process.ts";

const environment = { apiVersion: `${upstreamGroup}/v1alpha1`, kind: "Environment" };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `environments.${upstreamGroup}` },
  spec: {
    group: upstreamGroup,
    scope: "Namespaced",
    names: { kind: "Environment", plural: "environments", singular: "environment", listKind: "EnvironmentList" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const limitMs = 300_000;
let client: KubeClient;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installPromotion(client, silentLogger, AbortSignal.timeout(limitMs));
  await installTektonKinds(client);
  await client.create(definition);
  await client.discovery.whenServed(environment, AbortSignal.timeout(limitMs));
});
afterAll(async () => {
  await client.delete(refOf(definition));
  await client.transport[Symbol.asyncDispose]();
});

test("P65: a build is tested and judged for release, and no Environment, no binding and no GitOps repository is read, made or changed", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-promote-"));
  await using proxy = await startProxyTo(testKubeconfig());
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: proxy.url });
  const asked: string[] = [];
  await using gitops = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  });
  gitops.listen(0, "127.0.0.1");
  await once(gitops, "listening");
  const address = gitops.address();
  const port = typeof address === "object" ? address?.port : undefined;

  const namespace = `era-${crypto.randomUUID().slice(0, 8)}`;
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const make = (
    kind: { readonly apiVersion: string; readonly kind: string },
    name: string,
    spec: object,
    labels = {},
  ) =>
    client.create(
      { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace, labels }, spec },
      { fieldValidation: "Ignore" },
    );
  const staging = await make(environment, "staging", { deploymentStrategy: "AppStudioAutomated" });
  const repository = { url: `http://127.0.0.1:${port}/acme/gitops`, branch: "main", context: "/" };
  const application = await make(Application, "shop", {
    displayName: "Shop",
    gitOpsRepository: repository,
    appModelRepository: repository,
  });
  const source = { git: { url: `http://127.0.0.1:${port}/acme/web`, revision: "main" } };
  await make(Component, "web", {
    componentName: "web",
    application: "shop",
    source,
    replicas: 3,
    route: "web.example",
  });
  const resolverRef = { resolver: "cluster", params: [{ name: "name", value: "e2e" }] };
  const older = { apiVersion: `${upstreamGroup}/v1beta1`, kind: IntegrationTestScenario.kind };
  const ephemeral = { name: "staging", type: "POC", configuration: { env: [{ name: "A", value: "b" }] } };
  await make(older, "e2e", { application: "shop", resolverRef, environment: ephemeral });

  await using _ = startPromote(directory.path, "proxied", ["--promote", "builds,tests,releases"]);
  const run = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" };
  const built = { [promotionLabels.runType]: "build", [promotionLabels.component]: "web" };
  await make(run, "build", {}, built);
  const results = {
    IMAGE_URL: "reg.local:5000/acme/web:main",
    IMAGE_DIGEST: `sha256:${"1".repeat(64)}`,
    "CHAINS-GIT_URL": source.git.url,
    "CHAINS-GIT_COMMIT": "c1",
  };
  const status = {
    startTime: "2026-01-02T03:04:05Z",
    completionTime: "2026-01-02T03:05:05Z",
    conditions: [{ type: "Succeeded", status: "True" }],
    results: Object.entries(results).map(([name, value]) => ({ name, value, type: "string" })),
  };
  const ref = { ...run, namespace, name: "build" };
  await client.patch(ref, { type: "merge", subresource: "status", body: { status } });

  const find = async (): Promise<KubeObject | undefined> => {
    const { apiVersion, kind } = Snapshot;
    return (await client.list({ apiVersion, kind, namespace })).items[0];
  };
  const started = async () => {
    const text = (await find())?.metadata.annotations?.[promotionAnnotations.testStatus];
    return parseTestStatuses(text)[0]?.testPipelineRunName ?? "";
  };
  await expect.poll(started, { timeout: limitMs }).not.toBe("");
  const tested = await client.get({ ...run, namespace, name: await started() });
  expect(JSON.stringify(tested)).not.toContain("staging");
  const player = new PipelinePlayer(client, namespace);
  await player.finish(tested.metadata.name, { tasks: [{ name: "test", output: testOutput("SUCCESS") }] });
  const conditionsOf = async () => JSON.stringify(valueAt(await find(), ["status", "conditions"]) ?? []);
  await expect.poll(conditionsOf, { timeout: limitMs }).toContain("AutoReleased");

  const eras = /environment|deploymenttarget|gitopsdeployment|promotionrun/i;
  expect(proxy.requests.filter(({ path }) => eras.test(path))).toEqual([]);
  expect(asked).toEqual([]);
  expect((await client.get(refOf(staging))).metadata.resourceVersion).toBe(staging.metadata.resourceVersion);
  expect((await client.get(refOf(application)))["spec"]).toEqual(application["spec"]);
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
}, 600_000);
