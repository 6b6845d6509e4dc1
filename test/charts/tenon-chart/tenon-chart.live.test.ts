import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError, type JsonObject, packageFile, valueAt } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, isKubeObject, type KubeObject, loadAccess, type ServerWarning } from "#kube";
import { ensureHelm } from "#oracle";
import { loadChart, releaseText, renderChart } from "#template";
import { parseYaml } from "#yaml";
import { variants } from "./variants.ts";

const folder = packageFile("charts", "tenon");
const chart = loadChart(folder);
const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const warnings: ServerWarning[] = [];
const client = createClient(transport, { onWarning: (warning) => warnings.push(warning) });

beforeAll(async () => {
  const labels = Object.fromEntries(
    ["enforce", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]),
  );
  const body = { metadata: { labels } };
  await client.patch({ apiVersion: "v1", kind: "Namespace", name: namespace }, { type: "merge", body });
});

function objectsOf(values: JsonObject): KubeObject[] {
  const { manifests } = renderChart(chart, { values, release: { name: "tenon", namespace } });
  return manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
}

/** Without the kinds that the Prometheus operator brings along, and namespaces that are not there. */
function isServed({ kind, metadata }: KubeObject): boolean {
  const isOfPrometheus = kind === "ServiceMonitor" || kind === "PrometheusRule";
  return !isOfPrometheus && (metadata.namespace === undefined || metadata.namespace === namespace);
}

describe("Helm", () => {
  test.each(variants)("renders the same bytes: $name", async ({ values }) => {
    const helm = await ensureHelm(new AbortController().signal);
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-chart-"));
    const file = join(directory.path, "values.json");
    await writeFile(file, JSON.stringify(values));
    const { stdout } = await promisify(execFile)(helm, ["template", "tenon", folder, "-n", "there", "-f", file], {
      maxBuffer: 2 ** 24,
    });
    const { manifests } = renderChart(chart, { values, release: { name: "tenon", namespace: "there" } });
    expect(releaseText({ crds: [], manifests, hooks: [] })).toBe(stdout);
  });

  test.each<{ reason: string; values: JsonObject }>([
    { reason: "an unknown setting", values: { replicaCount: 2 } },
    { reason: "namespaces by name and by label", values: { couple: { namespaces: ["a"], namespaceSelector: "b=c" } } },
    { reason: "a console without TLS", values: { console: { enabled: true, publicUrl: "http://tenon.example.com" } } },
    { reason: "no job at all", values: { jobs: { couple: false } } },
    { reason: "a digest that is none", values: { image: { digest: "latest" } } },
  ])("refuses what we refuse: $reason", async ({ values }) => {
    const helm = await ensureHelm(new AbortController().signal);
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-chart-"));
    const file = join(directory.path, "values.json");
    await writeFile(file, JSON.stringify(values));
    await expect(promisify(execFile)(helm, ["template", folder, "-f", file])).rejects.toThrow(/schema/);
    expect(() => objectsOf(values)).toThrow(InputError);
  });
});

describe("the API server", () => {
  test.each(variants)("takes everything as it is, under the restricted standard: $name", async ({ values }) => {
    warnings.length = 0;
    for (const object of objectsOf(values).filter(isServed)) {
      await client.apply(object, { fieldManager: "test", force: true, dryRun: true, fieldValidation: "Strict" });
      if (object.kind !== "DaemonSet") continue;
      // The resource driver writes into the kubelet's folders, as root, and needs nothing else.
      const text = warnings
        .splice(0)
        .map((warning) => warning.text)
        .join();
      expect(text).toMatch(/restricted volume types.*runAsNonRoot.*runAsUser=0/);
      expect(text).not.toMatch(/privileged|capabilities|seccomp|hostPID|hostNetwork/i);
    }
    expect(warnings).toEqual([]);
  });
});

test("the kinds stay when the chart goes", () => {
  const kinds = objectsOf({}).filter(({ kind }) => kind === "CustomResourceDefinition");
  expect(kinds.map(({ metadata }) => metadata.name)).toEqual([
    "plugs.integration.rock8s.com",
    "sockets.integration.rock8s.com",
    "deferredresources.integration.rock8s.com",
  ]);
  for (const { metadata } of kinds) expect(metadata.annotations?.["helm.sh/resource-policy"]).toBe("keep");
});

test("the console has the manager's data, and nothing that leads to the manager's credentials, webhooks or files", () => {
  const objects = objectsOf({
    manage: {
      config: {
        data: "https://git.example.com/data.git#main",
        clusters: { here: { inCluster: true } },
        tokenStore: "vault:https://vault.example.com",
        notifications: [{ url: "https://hooks.example.com/key" }],
        stateFile: "/state/state.json",
        kubeconfig: "/secret/kubeconfig",
      },
    },
    console: { enabled: true, data: true, config: { clusters: { there: { context: "there" } } } },
  });
  const config = objects.find(({ metadata }) => metadata.name === "tenon-console-config");
  const text = String(valueAt(config, ["data", "tenon.yaml"]));
  expect(parseYaml(text, { file: "tenon.yaml" })).toEqual({
    data: "https://git.example.com/data.git#main",
    clusters: { here: { inCluster: true }, there: { context: "there" } },
  });
  const bare = objectsOf({
    manage: { config: { data: "https://git.example.com/data.git#main" } },
    console: { enabled: true },
  });
  expect(JSON.stringify(bare.filter(({ metadata }) => metadata.name.startsWith("tenon-console")))).not.toContain(
    "tenon.yaml",
  );
});

test("the account of the console may list namespaces, and nothing else", () => {
  const account = { kind: "ServiceAccount", name: "tenon-console", namespace };
  const objects = objectsOf({ console: { enabled: true } });
  const bindings = objects.filter(({ subjects }) => JSON.stringify(subjects)?.includes(`"${account.name}"`));
  expect(bindings).toEqual([expect.objectContaining({ kind: "ClusterRoleBinding", subjects: [account] })]);
  const role = objects.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name.endsWith("-console"));
  expect(role?.["rules"]).toEqual([{ apiGroups: [""], resources: ["namespaces"], verbs: ["list"] }]);
  const services = objects.filter(({ kind, metadata }) => kind === "Service" && metadata.name === account.name);
  expect(services, "no one reaches it but by kubectl").toEqual([]);
});
