import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeError, InputError, type JsonObject } from "#base";
import { openQueryableSource } from "#bundle";
import { computeDesired } from "../desired/compute-desired.ts";
import {
  cluster,
  environment,
  integration,
  managed,
  namespace,
  sampleOptions,
} from "../desired/sample-world.fixture.ts";

const { signal } = new AbortController();

const world: Readonly<Record<string, JsonObject>> = {
  "data/environments/test.yml": environment("test"),
  "data/environments/prod.yml": environment("prod"),
  "data/clusters/c1.yml": cluster("c1"),
  "data/clusters/c2.yml": cluster("c2"),
  "data/namespaces/test.yml": namespace("tools", "test", "c1"),
  "data/namespaces/prod.yml": namespace("tools", "prod", "c2"),
  "data/integrations/good.yml": integration("good", [managed("prod")]),
  "data/integrations/bad.yml": integration("bad", [managed("test")]),
};

/** What a run makes of the world with these files, as far as it can be loaded. */
async function judge(files: Readonly<Record<string, string | JsonObject>>, acceptsUnreadable = true) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-unreadable-"));
  for (const [path, content] of Object.entries({ ...world, ...files })) {
    await mkdir(dirname(join(directory.path, path)), { recursive: true });
    await writeFile(join(directory.path, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  const data = await openQueryableSource(directory.path, { acceptsUnreadable }).load(signal);
  const { errors, names } = await computeDesired(data, sampleOptions(), signal);
  return {
    errors: errors.map(({ integration: name, where = "", isFileInvalid }) => ({
      name: name.replace(directory.path, ""),
      where: where.replace(directory.path, ""),
      isFileInvalid,
    })),
    names: [...names],
  };
}

const broken = "description: a: b\n";
const head = "$schema: /app-sre/integration-1.yml\nname: bad\n";

describe("YAML that cannot be parsed is an error of what it may be, and the rest runs", () => {
  test.each<{ reason: string; path: string; text: string; name: string; line: number }>([
    { reason: "an integration", path: "integrations/bad.yml", text: `${head}${broken}`, name: "bad", line: 3 },
    {
      reason: "an integration with marks of a merge that went wrong",
      path: "integrations/bad.yml",
      text: `<<<<<<< ours\n${head}=======\n${head}>>>>>>> theirs\n`,
      name: "bad",
      line: 2,
    },
    {
      reason: "an integration that a merge gives two names",
      path: "integrations/bad.yml",
      text: `${head}<<<<<<< ours\nname: other\n${broken}`,
      name: "/data/integrations/bad.yml",
      line: 4,
    },
    {
      reason: "an integration with the name of another one",
      path: "integrations/bad.yml",
      text: `$schema: /app-sre/integration-1.yml\nname: good\n${broken}`,
      name: "/data/integrations/bad.yml",
      line: 3,
    },
    {
      reason: "a file that says nothing of itself",
      path: "integrations/bad.yml",
      text: broken,
      name: "/data/integrations/bad.yml",
      line: 1,
    },
    {
      reason: "a file of another schema that has targets",
      path: "integrations/bad.yml",
      text: `$schema: /app-sre/app-1.yml\nname: bad\nmanaged:\n${broken}`,
      name: "bad",
      line: 4,
    },
    {
      reason: "a namespace",
      path: "namespaces/test.yml",
      text: `$schema: /openshift/namespace-1.yml\n${broken}`,
      name: "bad",
      line: 2,
    },
    {
      reason: "a cluster",
      path: "clusters/c1.yml",
      text: `$schema: /openshift/cluster-1.yml\n${broken}`,
      name: "bad",
      line: 2,
    },
    { reason: "an environment", path: "environments/test.yml", text: broken, name: "bad", line: 1 },
  ])("$reason", async ({ path, text, name, line }) => {
    const { errors, names } = await judge({ [`data/${path}`]: text });
    expect(errors).toEqual([
      { name, where: expect.stringMatching(`^/data/${path}:${line}:\\d+$`), isFileInvalid: true },
    ]);
    expect(names).toEqual(["good"]);
  });

  test("a file that is not an integration, and to which no file refers, changes nothing", async () => {
    const { errors, names } = await judge({ "data/apps/app.yml": `$schema: /app-sre/app-1.yml\n${broken}` });
    expect({ errors, names }).toEqual({ errors: [], names: ["bad", "good"] });
  });

  test("a file that another refers to for something that does not decide what runs changes nothing", async () => {
    const app = { app: { $ref: "/apps/app.yml" } };
    const { errors, names } = await judge({
      "data/apps/app.yml": broken,
      "data/namespaces/test.yml": namespace("tools", "test", "c1", app),
    });
    expect({ errors, names }).toEqual({ errors: [], names: ["bad", "good"] });
  });

  test("an account is an error of what is sharded by accounts", async () => {
    const sharding = { strategy: "per-aws-account" };
    const sharded = integration("sharded", [managed("test", {}, sharding)], { shardArguments: ["--account-name"] });
    const { errors, names } = await judge({
      "data/integrations/bad.yml": sharded,
      "data/aws/two.yml": `$schema: /aws/account-1.yml\nname: two\n${broken}`,
    });
    expect(errors.map(({ name }) => name)).toEqual(["sharded"]);
    expect(names.toSorted()).toEqual(["good", "sharded"]);
  });
});

test("two integrations of one name are errors of both, and the rest runs", async () => {
  const { errors, names } = await judge({ "data/integrations/copy.yml": integration("bad", [managed("prod")]) });
  expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(["bad"]));
  expect(errors).toHaveLength(2);
  expect(names).toEqual(["good"]);
});

test.each([
  { reason: "a schema that cannot be parsed", files: { "schemas/own-1.yml": broken } },
  { reason: "a GraphQL description that cannot be parsed", files: { "graphql-schemas/schema.yml": broken } },
])("$reason fails the run, since every file may depend on it", async ({ files }) => {
  const error: unknown = await judge(files).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  expect(describeError(error)).toContain("not valid YAML");
});

test("callers that do not judge unreadable files get an error", async () => {
  await expect(judge({ "data/apps/app.yml": broken }, false)).rejects.toThrow(/app\.yml:1:/);
});
