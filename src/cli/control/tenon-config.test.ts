import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleData } from "../sample-data.ts";
import { readTenonConfig } from "./tenon-config.ts";

async function read(content: string) {
  await using folder = await sampleData({ "tenon.yaml": content });
  const config = await readTenonConfig(join(folder.path, "tenon.yaml"));
  return { config, folder: folder.path };
}

test("paths count from the folder of the file, addresses are left alone", async () => {
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

test.for([
  { data: "https://data.example.com/graphql", reason: "a server" },
  { data: "https://git.example.com/a.git#main", reason: "a repository elsewhere" },
  { data: "git@git.example.com:a.git#main", reason: "a repository by ssh" },
])("$data stays as it is: $reason", async ({ data }) => {
  expect((await read(`data: ${data}\n`)).config.data).toBe(data);
});

test("a repository beside the file is found from there", async () => {
  const { config, folder } = await read('data: ".#main:data"\n');
  expect(config.data).toBe(`${folder}#main:data`);
});

test.for([
  {
    content: "# mine\nenviroment: stage\n",
    expected: /:2:1: enviroment: there is no such setting; did you mean environment\?/,
    reason: "a mistyped key",
  },
  {
    content: "only:\n  integration: [a]\n",
    expected: /:2:3: only\.integration: .*integrations\?/,
    reason: "one further in",
  },
  { content: "maxDeletions: many\n", expected: /:1:1: maxDeletions: /, reason: "no number" },
  { content: "interval: soon\n", expected: /:1:1: interval: write a duration like 5m/, reason: "no duration" },
  { content: "side: inside\n", expected: /:1:1: side: /, reason: "none of the two" },
  { content: "clusters:\n  a: {inCluster: false}\n", expected: /:2:3: clusters\.a/, reason: "no way to a cluster" },
  { content: "data: [\n", expected: /tenon\.yaml:/, reason: "no YAML" },
])("refused with its line: $reason", async ({ content, expected }) => {
  await expect(read(content)).rejects.toThrow(expected);
});

test("everything that is wrong is told at once", async () => {
  await expect(read("a: 1\nside: x\n")).rejects.toThrow(/:1:1: a: [^]*:2:1: side: |:2:1: side: [^]*:1:1: a: /);
});

test("a file that was named and is not there is an error, and `tenon.yaml` need not be there", async () => {
  await expect(readTenonConfig("/nowhere/tenon.yaml")).rejects.toThrow(
    "/nowhere/tenon.yaml: the configuration cannot be read",
  );
  expect(await readTenonConfig(undefined)).toEqual({});
});
