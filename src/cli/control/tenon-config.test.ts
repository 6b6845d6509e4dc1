import { join } from "node:path";
import { expect, test } from "vitest";
import { createDataDirectory } from "../data/data-directory.fixture.ts";
import { readTenonConfig } from "./tenon-config.ts";

async function read(content: string) {
  await using folder = await createDataDirectory({ "tenon.yaml": content });
  const config = await readTenonConfig(join(folder.path, "tenon.yaml"));
  return { config, folder: folder.path };
}

test("paths in tenon.yaml are relative to its folder", async () => {
  const { config, folder } = await read(
    "data: data\nchart: ../chart\nstateFile: state.json\ntokenStore: file:tokens\nclusters:\n  a: {context: b}\n",
  );
  expect(config).toEqual({
    data: join(folder, "data"),
    chart: join(folder, "..", "chart"),
    stateFile: join(folder, "state.json"),
    tokenStore: `file:${join(folder, "tokens")}`,
    clusters: { a: { context: "b" } },
  });
});

test.for(["namespace", "tenonNamespace"])("tenon.yaml names Tenon's own namespace by %s", async (key) => {
  expect((await read(`${key}: tenon\n`)).config).toEqual({ tenonNamespace: "tenon" });
});

test.for([
  { data: "https://data.example.com/graphql", reason: "a server" },
  { data: "https://git.example.com/a.git#main", reason: "a remote repository" },
  { data: "git@git.example.com:a.git#main", reason: "a repository by ssh" },
])("the data location $data stays as it is: $reason", async ({ data }) => {
  expect((await read(`data: ${data}\n`)).config.data).toBe(data);
});

test("the path of a local repository in tenon.yaml is relative to its folder", async () => {
  const { config, folder } = await read('data: ".#main:data"\n');
  expect(config.data).toBe(`${folder}#main:data`);
});

test.for([
  {
    content: "# mine\nenviroment: stage\n",
    expected: /:2:1: enviroment: unknown setting; did you mean environment\?/,
    reason: "a mistyped key",
  },
  {
    content: "only:\n  integration: [a]\n",
    expected: /:2:3: only\.integration: .*integrations\?/,
    reason: "a mistyped nested key",
  },
  { content: "maxDeletions: many\n", expected: /:1:1: maxDeletions: /, reason: "not a number" },
  { content: "interval: soon\n", expected: /:1:1: interval: expected a duration such as 5m/, reason: "not a duration" },
  { content: "side: inside\n", expected: /:1:1: side: /, reason: "not a side" },
  {
    content: "clusters:\n  a: {inCluster: false}\n",
    expected: /:2:3: clusters\.a/,
    reason: "no way to connect to a cluster",
  },
  {
    content: "ignoreDifferences:\n  - kind: Deployment\n    paths: [spec.replicas]\n",
    expected: /:3:13: ignoreDifferences\[0\]\.paths\[0\]: expected a JSON pointer such as \/spec\/replicas/,
    reason: "not a JSON pointer",
  },
  {
    content: "ignoreDifferences:\n  - kind: Deployment\n",
    expected: /:2:5: ignoreDifferences\[0\]: expected paths or managers/,
    reason: "a rule that ignores nothing",
  },
  {
    content: "ignoreDifferences:\n  - manager: [kubectl]\n",
    expected: /:2:5: ignoreDifferences\[0\]\.manager: unknown setting; did you mean managers\?/,
    reason: "a mistyped key of a rule",
  },
  {
    content: "notifications:\n- url: https://a.example\n  event: [failed]\n",
    expected: /:3:3: notifications\[0\]\.event: unknown setting; did you mean events\?/,
    reason: "a mistyped key of a webhook",
  },
  {
    content: "notifications:\n- events: [failed]\n",
    expected: /:2:3: notifications\[0\]: expected either url or urlFrom/,
    reason: "a webhook without an address",
  },
  { content: "data: [\n", expected: /tenon\.yaml:/, reason: "not YAML" },
])("an invalid tenon.yaml is reported with its line: $reason", async ({ content, expected }) => {
  await expect(read(content)).rejects.toThrow(expected);
});

test("the order of a rollout is a setting of the folder, and a wrong one has its line", async () => {
  const { config } = await read("rollout: {canary: stage-1, soak: 5m}\nhealthyWithin: 20m\ncreateNamespaces: true\n");
  expect(config).toEqual({
    rollout: { canary: "stage-1", soak: "5m" },
    healthyWithin: "20m",
    createNamespaces: true,
  });
  await expect(read("rollout:\n  canary: stage-1\n  soak: soon\n")).rejects.toThrow(
    /:3:3: rollout\.soak: expected a duration such as 5m/,
  );
  await expect(read("rollout:\n  canari: stage-1\n")).rejects.toThrow(/canari: unknown setting; did you mean canary\?/);
});

test("all errors of tenon.yaml are reported at once", async () => {
  await expect(read("a: 1\nside: x\n")).rejects.toThrow(/:1:1: a: [^]*:2:1: side: |:2:1: side: [^]*:1:1: a: /);
});

test("a missing file of --config is an error, and a missing ./tenon.yaml is not", async () => {
  await expect(readTenonConfig("/nowhere/tenon.yaml")).rejects.toThrow(
    "/nowhere/tenon.yaml: cannot read the configuration",
  );
  expect(await readTenonConfig(undefined)).toEqual({});
});

test("the files of webhooks in tenon.yaml are relative to it", async () => {
  const { config, folder } = await read("notifications:\n- urlFrom: {file: hook}\n  secretFrom: {variable: HOOK}\n");
  expect(config.notifications).toEqual([{ urlFrom: { file: join(folder, "hook") }, secretFrom: { variable: "HOOK" } }]);
});
