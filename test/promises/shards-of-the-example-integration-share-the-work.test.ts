import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectTestApi, testKubeconfig } from "#harness";
import { isInShard } from "#integrations";

const script = join(import.meta.dirname, "..", "..", "examples", "integration", "whereabouts.ts");
const api = connectTestApi(testKubeconfig());
const suffix = crypto.randomUUID().slice(0, 8);
const namespaces = Array.from({ length: 6 }, (_, index) => `shared-${index}-${suffix}`);

beforeAll(async () => {
  for (const name of namespaces) await api.call("POST", "/api/v1/namespaces", { metadata: { name } });
});
afterAll(async () => {
  for (const name of namespaces) await api.call("DELETE", `/api/v1/namespaces/${name}`);
  await api[Symbol.asyncDispose]();
});

async function runShard(data: string, shardId: number): Promise<string> {
  const env = {
    ...process.env,
    KUBECONFIG: testKubeconfig(),
    DATA: data,
    CLUSTER: "c1",
    SHARDS: "2",
    SHARD_ID: String(shardId),
    RUN_ONCE: "true",
    DRY_RUN: "--no-dry-run",
    PROMETHEUS_PORT: "0",
  };
  return (await promisify(execFile)(process.execPath, [script], { env })).stdout;
}

async function done(): Promise<string[]> {
  const answers = await Promise.all(
    namespaces.map((name) => api.call("GET", `/api/v1/namespaces/${name}/configmaps/whereabouts`)),
  );
  return namespaces.filter((_, index) => answers[index]?.status === 200);
}

test("each of two shards does its part, together they do all, and neither undoes what the other did", async () => {
  await using data = await mkdtempDisposable(join(tmpdir(), "tenon-whereabouts-"));
  const files = {
    "cluster.yml": "$schema: /openshift/cluster-1.yml\nname: c1\nserverUrl: https://c1.example\n",
    "environment.yml": "$schema: /app-sre/environment-1.yml\nname: test\n",
    ...Object.fromEntries(namespaces.map((name) => [`${name}.yml`, namespaceFile(name)])),
  };
  for (const [file, text] of Object.entries(files)) await writeFile(join(data.path, file), text);

  const [first = [], second = []] = [0, 1].map((shardId) =>
    namespaces.filter((name) => isInShard(name, { shards: 2, shardId })),
  );
  expect(first.length + second.length).toBe(namespaces.length);

  await runShard(data.path, 0);
  expect(await done()).toEqual(first);
  await runShard(data.path, 1);
  expect(await done()).toEqual(namespaces);
  expect(await runShard(data.path, 0)).toBe(first.length === 0 ? "nothing to do\n" : `${first.length} unchanged\n`);
});

function namespaceFile(name: string): string {
  return `$schema: /openshift/namespace-1.yml
name: ${name}
cluster: {$ref: /cluster.yml}
environment: {$ref: /environment.yml}
`;
}
