import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError, type JsonObject } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, isKubeObject, type KubeObject, loadAccess, type ServerWarning } from "#kube";
import { ensureHelm } from "#oracle";
import { loadChart, releaseText, renderChart } from "#template";
import { folder, look, objectOf, objectsIn, podOf, renderObjects, renderOne, valuesOf } from "./render-integrations.ts";
import { variants } from "./variants.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const warnings: ServerWarning[] = [];
const client = createClient(transport, { onWarning: (warning) => warnings.push(warning) });

beforeAll(async () => {
  const labels = {
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/warn": "restricted",
  };
  await client.patch(
    { apiVersion: "v1", kind: "Namespace", name: namespace },
    { type: "merge", body: { metadata: { labels } } },
  );
  // Pods are refused until the namespace has it, and the cluster makes it a moment later.
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } };
  await client.apply(account, { fieldManager: "test" });
});

describe("Helm", () => {
  const chart = loadChart(folder);
  test.each(variants)("renders the same bytes: $name", async ({ values }) => {
    const helm = await ensureHelm(new AbortController().signal);
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-chart-"));
    const file = join(directory.path, "values.json");
    await writeFile(file, JSON.stringify(values));
    const { stdout } = await promisify(execFile)(helm, ["template", folder, "-f", file]);
    const { manifests } = renderChart(chart, { values: JSON.parse(JSON.stringify(values)) });
    expect(releaseText({ crds: [], manifests, hooks: [] })).toBe(stdout);
  });

  test.each<{ reason: string; settings: JsonObject; says: string }>([
    { reason: "an unknown setting", settings: { statee: true }, says: "'statee' not allowed" },
    { reason: "a schedule that is none", settings: { cron: "soon" }, says: "'soon' does not match" },
    {
      reason: "a channel for nothing",
      settings: { logs: { slackErrorFilter: true } },
      says: "a: logs.slackErrorFilter",
    },
  ])("refuses what we refuse: $reason", async ({ settings, says }) => {
    const helm = await ensureHelm(new AbortController().signal);
    const integrations = JSON.stringify(valuesOf(settings)["cron" in settings ? "cronjobs" : "integrations"]);
    const run = promisify(execFile)(helm, ["template", folder, "--set-json", `integrations=${integrations}`]);
    await expect(run).rejects.toThrow(says);
    expect(() => renderObjects(valuesOf(settings))).toThrow(InputError);
  });
});

describe("the API server", () => {
  test.each(variants)("takes every object as it is, without a warning: $name", async ({ values }) => {
    warnings.length = 0;
    for (const object of renderObjects(values)) {
      const applied = await client.apply(here(object), { fieldManager: "test", dryRun: true });
      expect(applied.metadata.name).toBe(look(object, "metadata.name"));
    }
    expect(warnings).toEqual([]);
  });

  test.each(variants)("takes the pods, in a namespace that is restricted: $name", async ({ values }) => {
    for (const workload of renderObjects(values).filter(({ kind }) => kind !== "Service")) {
      const { metadata, spec } = podOf(workload);
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...objectOf(metadata), name: "pod" },
        spec: objectOf(spec),
      };
      const created = await client.create(here(withClaim(pod, workload)), { dryRun: true });
      expect(created.metadata.name).toBe("pod");
    }
  });

  test("refuses pods that are not restricted in that namespace, so that the test above means something", async () => {
    const workload = renderOne({});
    const spec = { ...objectOf(podOf(workload)["spec"]), securityContext: {} };
    const pod = here({ apiVersion: "v1", kind: "Pod", metadata: { name: "pod" }, spec });
    await expect(client.create(pod, { dryRun: true })).rejects.toThrow("restricted");
  });
});

function here(object: JsonObject): KubeObject {
  const placed: unknown = { ...object, metadata: { ...objectOf(object["metadata"]), namespace } };
  if (!isKubeObject(placed)) throw new Error(`no object of Kubernetes: ${JSON.stringify(object)}`);
  return placed;
}

/** What the controller of StatefulSets adds to their pods. */
function withClaim(pod: JsonObject, workload: JsonObject): JsonObject {
  if (workload["kind"] !== "StatefulSet") return pod;
  const spec = objectOf(pod["spec"]);
  const claim = { name: "storage", persistentVolumeClaim: { claimName: "storage-pod" } };
  return { ...pod, spec: { ...spec, volumes: [...objectsIn(spec["volumes"]), claim] } };
}
