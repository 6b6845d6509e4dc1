import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type JsonObject, valueAt } from "#base";
import { openQueryableSource } from "#bundle";
import { fieldLocator } from "../data/integration-finding.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { computeDesired } from "./compute-desired.ts";
import type { DesiredOptions } from "./desired.ts";
import {
  cluster,
  environment,
  foreignChart,
  integration,
  managed,
  namespace,
  sampleCommit,
  sampleData,
  sampleOptions,
  validatedData,
} from "./sample-world.fixture.ts";

const { signal } = new AbortController();

async function desire(data: ManagerData, more: Partial<DesiredOptions> = {}) {
  const desired = await computeDesired(data, sampleOptions(more), signal);
  const resources = desired.groups.flatMap((group) => group.resources);
  const named = (name: string) => resources.find((resource) => resource.name === name)?.body;
  const container = (name: string, path = "spec.template.spec.containers") =>
    Object(valueAt(named(name), [...path.split("."), 0]));
  return { ...desired, resources, names: resources.map(({ kind, name }) => `${kind} ${name}`), named, container };
}

/** The integration `a` in the environment `test`. */
function one(spec: JsonObject = {}, sharding?: JsonObject): Readonly<Record<string, JsonObject>> {
  return { "/integrations/a.yml": integration("a", [managed("test", spec, sharding)]) };
}

async function resolveRef(repository: string, ref: string): Promise<string> {
  return `${ref}-of-${repository}`;
}

describe("image and parameters", () => {
  const upstream = "https://git.example/tools";
  const repositories = { INTEGRATION_UPSTREAM_REPOS: [{ repo: upstream, ref: "master" }] };
  const files = {
    "/environments/test.yml": environment("test", { IMAGE_TAG: "env", ...repositories }),
    "/integrations/a.yml": integration("a", [managed("test")], { upstream }),
  };

  test("G3-04: the ref on the command line gives the image tag, as short as the settings say", async () => {
    const { container } = await desire(sampleData(one()), {
      imageTagFromRef: new Map([["test", "main"]]),
      processEnv: { IMAGE_TAG: "process" },
    });
    expect(container("a").image).toBe("quay.io/app-sre/qontract-reconcile:f44e417");
    const settings = { $schema: "/app-interface/app-interface-settings-1.yml", name: "s", hashLength: 10 };
    const longer = await desire(sampleData({ ...one(), "/settings.yml": settings }), {
      imageTagFromRef: new Map([["test", "main"]]),
    });
    expect(longer.container("a").image).toBe(`quay.io/app-sre/qontract-reconcile:${sampleCommit.slice(0, 10)}`);
  });

  test("G3-05: the ref of an environment counts for its upstream only", async () => {
    const { groups } = await desire(sampleData(files), { upstream, resolveRef, hashLength: 9 });
    expect(groups[0]?.parameters.get("IMAGE_TAG")).toMatchObject({
      value: "master-of",
      source: "upstream repositories",
    });
    const other = await desire(sampleData(files), { resolveRef });
    expect(other.groups[0]?.parameters.get("IMAGE_TAG")?.value).toBe("env");
  });

  test("G3-06: the ref on the command line wins over the ref of the environment", async () => {
    const { groups } = await desire(sampleData(files), {
      upstream,
      resolveRef,
      hashLength: 4,
      imageTagFromRef: new Map([["test", "main"]]),
    });
    expect(groups[0]?.parameters.get("IMAGE_TAG")).toMatchObject({ value: "main", source: "command line" });
  });

  test("B-35: a ref that cannot be resolved is an error of the integrations that use it, and of no others", async () => {
    const data = sampleData({ ...files, "/integrations/b.yml": integration("b", [managed("prod")], { upstream }) });
    const { errors, names } = await desire(data, {
      upstream,
      resolveRef: () => Promise.reject(new Error("no such ref")),
    });
    expect(errors).toMatchObject([{ integration: "a", what: expect.stringContaining("no such ref") }]);
    expect(names).toEqual(["Deployment b", "Service integrations"]);
  });

  test("G3-08, G3-09: the image is valid with and without a digest, and a tag from a ref removes the digest", async () => {
    const processEnv = { IMAGE: "r/i", IMAGE_TAG: "a", IMAGE_DIGEST: "sha256:1" };
    expect((await desire(sampleData(one()), { processEnv })).container("a").image).toBe("r/i:a@sha256:1");
    expect((await desire(sampleData(one()))).container("a").image).toBe("quay.io/app-sre/qontract-reconcile:latest");
    const imageTagFromRef = new Map([["test", "main"]]);
    expect((await desire(sampleData(one()), { processEnv, imageTagFromRef })).container("a").image).toBe("r/i:f44e417");
  });

  test("B-34: the manager's own variables set parameters, also those of one integration", async () => {
    const processEnv = { A_CPU_REQUEST: "77m", DRY_RUN: "--no-dry-run", SERVICE_ACCOUNT_NAME: "tools" };
    const { groups, container } = await desire(sampleData(one()), { processEnv });
    expect(container("a").resources.requests).toEqual({ cpu: "77m", memory: "1Gi" });
    expect(container("a").env).toContainEqual({ name: "DRY_RUN", value: "--no-dry-run" });
    const declared = [...(groups[0]?.parameters ?? [])].filter(([, { isDeclared }]) => isDeclared);
    const names = declared.map(([name]) => name).filter((name) => !name.endsWith("_AT_DIGEST"));
    expect(names).toEqual(expect.arrayContaining(["IMAGE", "LOG_FILE", "A_MEMORY_LIMIT"]));
    const all = await desire(sampleData(one()), { processEnv: Object.fromEntries(names.map((name) => [name, "own"])) });
    expect(names.filter((name) => all.groups[0]?.parameters.get(name)?.value !== "own")).toEqual([]);
  });

  test("B-34: a manager with environmentAware passes on its own image", async () => {
    const manager = integration("integrations-manager", [managed("test", { environmentAware: true })]);
    const started = await desire(sampleData({ "/integrations/m.yml": manager }), {
      processEnv: { IMAGE: "r/i", IMAGE_TAG: "t", IMAGE_DIGEST: "sha256:1" },
    });
    const env: readonly { name: string; value?: string }[] = started.container("integrations-manager").env;
    const processEnv = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const { container } = await desire(sampleData(one()), { processEnv });
    expect(container("a").image).toBe("r/i:t@sha256:1");
  });

  test("G3-11: the environment sets a resource quantity of one integration", async () => {
    const parameters = { "/environments/test.yml": environment("test", { A_CPU_REQUEST: "77m" }) };
    const { container } = await desire(sampleData({ ...one(), ...parameters }));
    expect(container("a").resources.requests).toEqual({ cpu: "77m", memory: "1Gi" });
  });

  test("G3-14: variables are passed on byte for byte", async () => {
    const values = ["true", "123", "a: b", "x # y", '"q"', "", "yes", "null"];
    const extraEnv = values.map((value, index) => ({ name: `V${index}`, value }));
    const { container } = await desire(sampleData(one({ extraEnv })));
    const found = container("a").env.filter(({ name }: { name: string }) => /^V\d$/.test(name));
    expect(found.map(({ value }: { value: string }) => value)).toEqual(values);
  });

  test("G3-15: resource quantities are strings, also in overrides", async () => {
    const resources = { requests: { cpu: 1, memory: "1Gi" }, limits: { cpu: 0.5, memory: "1Gi" } };
    const override = { shard: { $ref: "/clusters/c1.yml" }, resources: { limits: { cpu: 2, memory: "1Gi" } } };
    const sharding = { strategy: "per-openshift-cluster", shardSpecOverrides: [override] };
    const { container } = await desire(
      sampleData({
        "/integrations/a.yml": integration("a", [managed("test", { resources }, sharding)], {
          shardArguments: ["--cluster-name"],
        }),
      }),
    );
    expect(container("a-c2").resources).toEqual({
      requests: { cpu: "1", memory: "1Gi" },
      limits: { cpu: "0.5", memory: "1Gi" },
    });
    expect(container("a-c1").resources).toEqual({ limits: { cpu: "2", memory: "1Gi" } });
  });

  test("G3-16: a parameter that two integrations use has one value", async () => {
    const logs = { slack: true, slackErrorFilter: true };
    const data = sampleData({
      "/environments/test.yml": environment("test", { SLACK_RECONCILE_ERR_CHANNEL_NAME: "c" }),
      "/integrations/a.yml": integration("a", [managed("test", { logs })]),
      "/integrations/b.yml": integration("b", [managed("test", { logs })]),
    });
    const { named } = await desire(data);
    for (const name of ["a", "b"]) {
      expect(JSON.stringify(named(name))).toContain('{"name":"SLACK_RECONCILE_ERR_CHANNEL_NAME","value":"c"}');
    }
  });
});

describe("what runs where", () => {
  const files = {
    "/environments/test2.yml": environment("test2"),
    "/namespaces/test2.yml": namespace("tools2", "test2", "c1"),
    "/integrations/a.yml": integration("a", [managed("test"), managed("test2")]),
    "/integrations/b.yml": integration("b", [managed("test2"), managed("prod")]),
  };

  test("G8-04, B-2, B-3: a run for an environment keeps the targets of that environment, and targets of one namespace form one group", async () => {
    const some = await desire(sampleData(files), { environment: "test2" });
    expect(some.names).toEqual(["Deployment a", "Deployment b", "Service integrations"]);
    expect(some.groups).toHaveLength(1);
    expect([...some.declared]).toEqual(["a", "b"]);
    const all = await desire(sampleData(files), { environment: "" });
    expect(all.groups.map(({ namespace: { path } }) => path)).toEqual([
      "/namespaces/test.yml",
      "/namespaces/test2.yml",
      "/namespaces/prod.yml",
    ]);
    expect(all.names.filter((name) => name.startsWith("Deployment"))).toHaveLength(4);
  });

  test("an environment that nothing runs in gives nothing, and no error", async () => {
    const { groups, errors } = await desire(sampleData(files), { environment: "moon" });
    expect({ groups, errors }).toEqual({ groups: [], errors: [] });
  });

  test("a cluster keeps its own targets; all namespaces are known all the same", async () => {
    const { groups, namespaces } = await desire(sampleData(files), { cluster: ["c2"] });
    expect(groups.map((group) => group.namespace.path)).toEqual(["/namespaces/prod.yml"]);
    expect(namespaces).toHaveLength(3);
  });

  test("one integration alone gives its own objects, and what it shares as it would be with the others", async () => {
    const { names, declared } = await desire(sampleData(files), { integration: ["b"], environment: "test2" });
    expect(names).toEqual(["Deployment b", "Service integrations"]);
    expect([...declared]).toEqual(["b"]);
  });

  test.each([
    {
      reason: "integration",
      options: { integration: ["bb"] },
      message: /integration bb not found in the data; the data has a, b$/,
    },
    {
      reason: "cluster",
      options: { cluster: ["c3"] },
      message: /no integration runs on cluster c3; integrations run on c1, c2$/,
    },
    {
      reason: "namespace",
      options: { namespace: ["n9"] },
      message: /no integration runs in namespace n9; integrations run in \w+(, \w+)*$/,
    },
  ])("a name that no $reason has is refused", async ({ options, message }) => {
    await expect(desire(sampleData(files), options)).rejects.toThrow(message);
  });

  test("a cluster that has lost its last integration may be chosen, and gives nothing", async () => {
    const { groups, errors } = await desire(sampleData(files), { cluster: ["c3"], formerClusters: ["c3"] });
    expect({ groups, errors }).toEqual({ groups: [], errors: [] });
  });

  test("G8-05, G8-06, B-1: with an upstream, only its integrations run, stamped with it; without one, all run, stamped with the default", async () => {
    const data = sampleData({
      "/integrations/a.yml": integration("a", [managed("test")], { upstream: "u" }),
      "/integrations/b.yml": integration("b", [managed("test")]),
    });
    const some = await desire(data, { upstream: "u" });
    expect(some.resources.map(({ name, caller }) => [name, caller])).toEqual([
      ["a", "u"],
      ["integrations", "u"],
    ]);
    const all = await desire(data);
    const usual = "https://github.com/app-sre/qontract-reconcile";
    expect(new Set(all.resources.map(({ caller }) => caller))).toEqual(new Set([usual]));
    expect(all.resources.map(({ attribution }) => attribution)).toEqual(["a", "b", undefined]);
    expect(all.callers).toEqual(new Set(["u", usual]));
  });

  test("B-38: every object is stamped with the manager, its version and upstream, and names its source file", async () => {
    const { resources } = await desire(
      sampleData({
        "/integrations/a.yml": integration("a", [managed("test")], { upstream: "u" }),
        "/integrations/b.yml": integration("b", [managed("test", { cron: "@daily" })], { upstream: "u" }),
      }),
      { upstream: "u" },
    );
    const identity = { integration: "integrations-manager", integrationVersion: "0.1.0", caller: "u" };
    expect(resources).toMatchObject([
      { ...identity, kind: "Deployment", name: "a", errorDetails: "/integrations/a.yml" },
      { ...identity, kind: "CronJob", name: "b", errorDetails: "/integrations/b.yml" },
      { ...identity, kind: "Service" },
    ]);
  });

  test("C-9: an account that is not disabled, or only for other integrations, has a shard", async () => {
    const said: Readonly<Record<string, JsonObject>> = {
      nothing: {},
      null: { disable: null },
      "null-list": { disable: { integrations: null } },
      "empty-list": { disable: { integrations: [] } },
      others: { disable: { integrations: ["b"] } },
      this: { disable: { integrations: ["b", "a"] } },
    };
    const accounts = Object.entries(said).map(([name, more]) => [
      `/aws/${name}.yml`,
      { $schema: "/aws/account-1.yml", name, ...more },
    ]);
    const { names, errors } = await desire(
      sampleData({
        ...Object.fromEntries(accounts),
        "/integrations/a.yml": integration("a", [managed("test", {}, { strategy: "per-aws-account" })], {
          shardArguments: ["--account-name"],
        }),
      }),
    );
    expect(errors).toEqual([]);
    expect(names.filter((name) => name.startsWith("Deployment"))).toEqual([
      "Deployment a-nothing",
      "Deployment a-null",
      "Deployment a-null-list",
      "Deployment a-empty-list",
      "Deployment a-others",
    ]);
  });

  test("G4-15: an integration with a schedule and shards has one CronJob for each shard", async () => {
    const { names, container } = await desire(sampleData(one({ cron: "@daily" }, { strategy: "static", shards: 3 })));
    expect(names.toSorted()).toEqual(["CronJob a-0", "CronJob a-1", "CronJob a-2", "Service integrations"]);
    const { env } = container("a-1", "spec.jobTemplate.spec.template.spec.containers");
    expect(env).toContainEqual({ name: "SHARD_ID", value: "1" });
  });
});

describe("an integration with an error leaves the others alone", () => {
  const good = { "/integrations/good.yml": integration("good", [managed("test")]) };

  test.each<{ reason: string; files: Readonly<Record<string, JsonObject>>; what: RegExp }>([
    {
      reason: "an integration with a setting that the chart does not know fails alone",
      files: one({ carrierPigeon: true }),
      what: /carrierPigeon/,
    },
    {
      reason: "G4-11: an integration whose program has no argument for its strategy fails alone",
      files: {
        ...one({}, { strategy: "per-aws-account" }),
        "/aws/one.yml": { $schema: "/aws/account-1.yml", name: "one" },
      },
      what: /--account-name/,
    },
    {
      reason: "G4-13: an integration with zero shards fails alone",
      files: one({}, { strategy: "static", shards: 0 }),
      what: /nothing would run/,
    },
    {
      reason: "G4-14: an integration with an unknown strategy fails alone",
      files: one({}, { strategy: "per-moon" }),
      what: /sharding/,
    },
    {
      reason: "G8-07: an integration that is in a namespace twice fails alone",
      files: { "/integrations/a.yml": integration("a", [managed("test"), managed("test")]) },
      what: /already/,
    },
    {
      reason: "an integration with two variables of one name fails alone",
      files: one({
        extraEnv: [
          { name: "V", value: "1" },
          { name: "V", value: "2" },
        ],
      }),
      what: /cannot be rendered.*V twice/,
    },
    {
      reason: "B-10, G5-06: an integration whose name is too long for a CronJob fails alone",
      files: { "/integrations/a.yml": integration("a".repeat(53), [managed("test", { cron: "@daily" })]) },
      what: /53 characters.*52/,
    },
  ])("$reason", async ({ files, what }) => {
    const { names, errors } = await desire(sampleData({ ...good, ...files }));
    expect(names).toEqual(["Deployment good", "Service integrations"]);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(error.integration).toMatch(/^a+$/);
      expect(error.what).toMatch(what);
    }
  });

  test("with another environment's mistake this one has nothing to do", async () => {
    const data = sampleData({
      "/integrations/a.yml": integration("a", [managed("test"), managed("prod", { cron: "never" })]),
    });
    const { errors, names } = await desire(data, { environment: "test" });
    expect({ errors, names }).toEqual({ errors: [], names: ["Deployment a", "Service integrations"] });
  });

  test("labels that are too long are reported for all shards together", async () => {
    const long = "c".repeat(70);
    const data = sampleData({
      ...good,
      "/clusters/c1.yml": cluster(`${long}1`),
      "/clusters/c2.yml": cluster(`${long}2`),
      "/integrations/openshift-routes.yml": integration("openshift-routes", [
        managed("test", {}, { strategy: "per-openshift-cluster" }),
      ]),
    });
    const { errors, names } = await desire(data);
    expect(names).toEqual(["Deployment good", "Service integrations"]);
    expect(errors).toHaveLength(1);
    for (const word of [`${long}1`, `${long}2`, "63"]) expect(errors[0]?.what).toContain(word);
  });
});

describe("any chart", () => {
  const files = {
    "/integrations/a.yml": integration("a", [managed("test", { mode: "x" }, { strategy: "static", shards: 2 })]),
    "/integrations/b.yml": integration("b", [managed("test", { cron: "@daily" })]),
  };

  test("one with the names and labels of qontract-reconcile's is rendered as it is, and its objects are known", async () => {
    const { resources, errors, container, groups } = await desire(sampleData(files), {
      chart: foreignChart,
      processEnv: { P: "override" },
    });
    expect(errors).toEqual([]);
    expect(resources.map(({ kind, name, attribution }) => [kind, name, attribution])).toEqual([
      ["Deployment", "qontract-reconcile-a-0", "a"],
      ["Deployment", "qontract-reconcile-a-1", "a"],
      ["CronJob", "qontract-reconcile-b", "b"],
      ["Service", "qontract-reconcile", undefined],
    ]);
    const { image, args } = container("qontract-reconcile-a-0");
    expect({ image, args }).toEqual({ image: "quay.io/app-sre/qontract-reconcile:latest@", args: ["x", "override"] });
    expect(groups[0]?.kinds).toEqual(["Deployment", "CronJob", "Service"]);
  });

  test("B-39: an integration whose templates fail to render fails alone", async () => {
    const data = sampleData({ ...files, "/integrations/c.yml": integration("c", [managed("test")]) });
    const { resources, errors } = await desire(data, { chart: foreignChart });
    expect(errors).toMatchObject([{ integration: "c", what: expect.stringContaining("mode is needed") }]);
    expect(resources).toHaveLength(4);
  });
});

test("errors and warnings say the line, also in former forms", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-integrations-"));
  const world = {
    "namespaces/n.yml": `$schema: /openshift/lean-namespace-1.yml
labels: {}
name: tools
description: x
cluster: {name: c1, serverUrl: "https://c1.example", automationToken: {path: a, field: b}}
environment: {name: e}
`,
    "integrations/a.yml": `$schema: /app-sre/integration-1.yml
name: a
description: x
operate:
- namespace: {$ref: /namespaces/n.yml}
  spec:
    storage: 1Gi
    shards: 1
`,
    "integrations/b.yml": `$schema: /app-sre/integration-1.yml
name: b
description: x
managed:
- namespace: {$ref: /namespaces/n.yml}
  spec:
    resources:
      limits: {memory: 1Gi}
    carrierPigeon: true
`,
  };
  for (const [path, text] of Object.entries(world)) {
    const file = join(directory.path, "data", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const data = await openQueryableSource(directory.path).load(signal);
  const { errors, warnings } = await desire(data, { locate: data.find && fieldLocator(data.find) });
  const targets = [...errors, ...warnings].map(({ where = "" }) => where.slice(directory.path.length));
  expect(targets).toEqual([
    "/data/integrations/b.yml:9:5",
    "/data/integrations/a.yml:4:1",
    "/data/integrations/a.yml:8:5",
    "/data/integrations/a.yml:7:5",
  ]);
});

function orderedFile(name: string, after: readonly string[]): string {
  return ["$schema: /app-sre/integration-1.yml", `name: ${name}`, "description: x"]
    .concat(after.length === 0 ? [] : ["after:", ...after.map((other) => `- ${other}`)])
    .join("\n");
}

test("`after` is known by integration; a name that does not exist and a circle are errors with their line", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-after-"));
  const order = { good: [], a: ["good", "b"], b: ["a"], lost: ["good", "goud"] };
  await mkdir(join(directory.path, "data"));
  for (const [name, after] of Object.entries(order)) {
    await writeFile(join(directory.path, "data", `${name}.yml`), orderedFile(name, after));
  }
  const data = await openQueryableSource(directory.path).load(signal);
  const { errors, after } = await desire(data, { locate: data.find && fieldLocator(data.find) });
  const found = errors.map(({ where = "", what }) => `${where.slice(directory.path.length)} ${what}`);
  expect(found.toSorted()).toEqual([
    "/data/a.yml:6:3 a comes after itself: a after b after a",
    "/data/b.yml:5:3 b comes after itself: b after a after b",
    "/data/lost.yml:6:3 lost comes after goud, which is not an integration",
  ]);
  expect(after).toEqual(new Map());
  await writeFile(join(directory.path, "data", "b.yml"), orderedFile("b", ["good"]));
  const mended = await desire(await openQueryableSource(directory.path).load(signal));
  expect(mended.after).toEqual(
    new Map([
      ["a", ["good", "b"]],
      ["b", ["good"]],
    ]),
  );
});

test("`suspend` of an integration counts everywhere, and that of an entry in its namespace only", async () => {
  const data = sampleData({
    "/integrations/a.yml": integration("a", [managed("test")], { suspend: { reason: "all of it" } }),
    "/integrations/b.yml": integration("b", [managed("test"), { ...managed("prod"), suspend: { reason: "one part" } }]),
    "/integrations/c.yml": integration("c", [managed("test")]),
  });
  const { suspensions, errors } = await computeDesired(data, sampleOptions(), signal);
  expect(errors).toEqual([]);
  expect(suspensions).toEqual([
    { integration: "a", reason: "all of it", where: "/integrations/a.yml" },
    {
      integration: "b",
      target: { cluster: "c2", namespace: "tools" },
      reason: "one part",
      where: "/integrations/b.yml",
    },
  ]);
});

test("`suspend` without a reason is an error of that integration", async () => {
  const data = validatedData({ "/integrations/a.yml": integration("a", [managed("test")], { suspend: {} }) });
  const { errors } = await computeDesired(data, sampleOptions(), signal);
  expect(errors).toMatchObject([{ integration: "a", what: expect.stringContaining("reason") }]);
});
