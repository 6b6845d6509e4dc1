import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError, type JsonObject, packageFile, silentLogger } from "#base";
import { installKinds } from "#crd";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, isKubeObject, type KubeObject, loadAccess, type ServerWarning } from "#kube";
import { ensureHelm } from "#oracle";
import { installPromotion, Propagation } from "#promotion";
import { loadChart, releaseText, renderChart } from "#template";
import { variants } from "./variants.ts";

const folder = packageFile("charts", "tenant");
const chart = loadChart(folder);
const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const warnings: ServerWarning[] = [];
const client = createClient(transport, { onWarning: (warning) => warnings.push(warning) });
const signal = AbortSignal.timeout(5 * 60_000);

beforeAll(async () => {
  await installPromotion(client, silentLogger, signal);
  await installKinds(client, [Propagation], { signal });
  await client.discovery.whenServed(Propagation, signal);
});

function objectsOf(values: JsonObject): KubeObject[] {
  const { manifests } = renderChart(chart, { values, release: { name: "tenant", namespace } });
  return manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
}

/** Without the kinds of Tekton, which is not installed here. */
function isServed({ apiVersion }: KubeObject): boolean {
  return !apiVersion.startsWith("tekton.dev/");
}

async function helm(values: JsonObject, ...options: readonly string[]): Promise<string> {
  const program = await ensureHelm(signal);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenant-chart-"));
  const file = join(directory.path, "values.json");
  await writeFile(file, JSON.stringify(values));
  const { stdout } = await promisify(execFile)(program, ["template", "tenant", folder, "-f", file, ...options]);
  return stdout;
}

describe("Helm", () => {
  test.each(variants)("renders the same bytes: $name", async ({ values }) => {
    const { manifests } = renderChart(chart, { values, release: { name: "tenant", namespace: "there" } });
    expect(releaseText({ crds: [], manifests, hooks: [] })).toBe(await helm(values, "-n", "there"));
  });

  test.each<{ reason: string; values: JsonObject }>([
    { reason: "an unknown setting", values: { tags: ["released"] } },
    { reason: "an application whose name no object can have", values: { application: { name: "The Shop" } } },
    { reason: "a pipeline that does not exist", values: { releasePlan: { pipeline: "jenkins" } } },
    { reason: "no tag", values: { releasePlan: { tags: [] } } },
    { reason: "a verification without keys", values: { releasePlan: { verification: { requires: ["signature"] } } } },
    { reason: "a GitOps repository without images", values: { gitops: { repository: "https://git.example/x" } } },
  ])("refuses what we refuse: $reason", async ({ values }) => {
    await expect(helm(values)).rejects.toThrow(/schema/);
    expect(() => objectsOf(values)).toThrow(InputError);
  });
});

test.each(variants)("the API server takes everything as it is: $name", async ({ values }) => {
  warnings.length = 0;
  const alice = client.impersonate({ user: "alice", groups: ["system:masters"] });
  for (const object of objectsOf(values).filter(isServed)) {
    await alice.apply(object, { fieldManager: "test", force: true, dryRun: true, fieldValidation: "Strict" });
  }
  expect(warnings).toEqual([]);
});

test("push-to-registry runs `tenon promote retag` with the Release as one argument, and its account may do no more than that", () => {
  const objects = objectsOf({ releasePlan: { pipeline: "tekton" } });
  const pipeline = objects.find(({ kind }) => kind === "Pipeline");
  expect(pipeline).toMatchObject({
    metadata: { name: "push-to-registry" },
    spec: {
      tasks: [
        {
          taskSpec: {
            steps: [
              {
                image: "tenon:0.0.0",
                command: ["/usr/local/bin/node", "/app/dist/tenon.js"],
                args: ["promote", "retag", "--release", "$(params.release)"],
              },
            ],
          },
        },
      ],
    },
  });
  const role = objects.find(({ kind, metadata }) => kind === "Role" && metadata.name === "push-to-registry");
  expect(role?.["rules"]).toEqual([
    { apiGroups: ["appstudio.redhat.com"], resources: ["releases", "releaseplans"], verbs: ["get"] },
    { apiGroups: ["appstudio.redhat.com"], resources: ["snapshots"], verbs: ["get", "list"] },
    { apiGroups: ["appstudio.redhat.com"], resources: ["releases/status"], verbs: ["patch"] },
  ]);
});
