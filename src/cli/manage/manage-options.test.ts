import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell, type FakeShellOptions } from "../fake-shell.ts";
import { run } from "../run.ts";
import { sampleData } from "../sample-data.ts";

const data = join(import.meta.dirname, "..", "..", "..", "examples", "data");

async function tenon(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell(options);
  const exitCode = await run(words, shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("bad input ends with exit code 1 and says what to do", () => {
  test.for([
    { words: ["plan"], expected: /there is no data[^]*--data/, reason: "no data" },
    {
      words: ["apply", "/nowhere/plan.json"],
      expected: /nowhere.*cannot be read[^]*tenon plan --out/,
      reason: "no plan",
    },
    {
      words: ["plan", "--data", data, "--internal", "--external"],
      expected: /cannot be used with/,
      reason: "both sides",
    },
    {
      words: ["plan", "--data", data, "--integration", "price-fed"],
      expected: /price-feed/,
      reason: "no such integration",
    },
    { words: ["plan", "--data", data, "--cluster", "stage-2"], expected: /stage-1/, reason: "no such cluster" },
    { words: ["plan", "--data", data, "--cluster-context", "x"], expected: /NAME=CONTEXT/, reason: "no context" },
    { words: ["plan", "--data", data, "--token-store", "safe"], expected: /file:DIRECTORY/, reason: "no such store" },
    {
      words: ["plan", "--data", data, "--image-tag-from-ref", "x"],
      expected: /ENVIRONMENT=REF/,
      reason: "B-37: an option that names no ref",
    },
    { words: ["plan", "--data", data, "--chart", "/nowhere"], expected: /\/nowhere/, reason: "no chart" },
    { words: ["plan", "--data", data, "--max-deletions", "few"], expected: /whole number/, reason: "no number" },
    { words: ["run", "--only", "mange"], expected: /manage/, reason: "no such job" },
    { words: ["run", "--only", "manage", "--port", "0"], expected: /there is no data/, reason: "a job without data" },
    {
      words: ["run", "--only", "manage", "--port", "0", "--data", data, "--interval", "0"],
      expected: /duration/,
      reason: "no time between runs",
    },
    { words: ["explain", "price-feed", "--data", data], expected: /integration\/NAME/, reason: "no kind" },
    {
      words: ["explain", "integration/price-fed", "--data", data],
      expected: /price-feed/,
      reason: "nothing to explain",
    },
    {
      words: ["values", "--data", data, "-n", "platform-stag"],
      expected: /did you mean platform-stage/,
      reason: "no such namespace",
    },
    {
      words: ["values", "--data", data, "-n", "platform-prod"],
      expected: /prod-eu and prod-us[^]*--cluster/,
      reason: "two of them",
    },
  ])("$reason", async ({ words, expected }) => {
    const { exitCode, stderr } = await tenon(words, { env: { SLEEP_ON_ERROR: "1" } });
    expect(stderr).toMatch(expected);
    expect(exitCode).toBe(1);
  });
});

test("D-51: a cluster that cannot be opened is one error, the plan says why, and the exit code is 1", async () => {
  const { exitCode, stdout, stderr } = await tenon(["plan", "--data", data, "--environment", "dev"]);
  expect(stdout).toMatch(/dev-1: .*clusters\/dev-1\/tenon.*no token store/);
  expect(stderr).toMatch(/^error: the plan has errors: 1 error\n/);
  expect(exitCode).toBe(1);
});

test("E-20: a base that cannot be read only costs time", async () => {
  const words = ["plan", "--data", data, "--environment", "stag", "--compare", "/nowhere"];
  const { exitCode, stdout, stderr } = await tenon(words);
  expect(stderr).toMatch(/^--compare: warning: cannot compare with \/nowhere, so everything is looked at: /);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "nothing to do\n" });
});

test("get shows what should run also where a cluster cannot be opened, and why it says no more", async () => {
  const words = ["get", "integrations", "openshift-resources", "--data", data, "--environment", "dev"];
  const { exitCode, stdout, stderr } = await tenon(words);
  expect(stdout).toMatch(/\nopenshift-resources +dev-1\/platform-dev +1 +0 +1 .*no token store/);
  expect(stderr).toContain("not everything could be looked at: 1 error");
  expect(exitCode).toBe(1);
});

test("B-4: an environment in which nothing runs is doubted, no cluster is asked, and the exit code is 0", async () => {
  const { exitCode, stdout, stderr } = await tenon(["plan", "--data", data, "--environment", "stag"]);
  expect(stderr).toBe("warning: no integration runs in the environment stag\n  did you mean stage?\n");
  expect(stdout, "a cluster that is asked cannot be opened").toBe("nothing to do\n");
  expect(exitCode).toBe(0);
});

describe("who counts: options, then variables, then tenon.yaml", () => {
  const file = `data: ${data}\nenvironment: prod\nimage: from-file\n`;
  test.for([
    { words: [], env: {}, environment: "prod", image: "from-file" },
    {
      words: [],
      env: { ENVIRONMENT_NAME: "", INTEGRATIONS_MANAGER_IMAGE: "" },
      environment: "prod",
      image: "from-file",
    },
    {
      words: [],
      env: { ENVIRONMENT_NAME: "dev", INTEGRATIONS_MANAGER_IMAGE: "from-env" },
      environment: "dev",
      image: "from-env",
    },
    {
      words: ["--environment", "dev", "--image", "from-option"],
      env: { ENVIRONMENT_NAME: "prod", INTEGRATIONS_MANAGER_IMAGE: "from-env" },
      environment: "dev",
      image: "from-option",
    },
  ])("E-2: $words with $env is $environment and $image", async ({ words, env, environment, image }) => {
    await using folder = await sampleData({ "tenon.yaml": file });
    const config = join(folder.path, "tenon.yaml");
    const { exitCode, stdout } = await tenon(
      ["explain", "integration/openshift-resources", "--config", config, "-o", "json", ...words],
      { env },
    );
    expect(exitCode).toBe(0);
    const { places } = JSON.parse(stdout);
    expect(places.map((place: { environment: string }) => place.environment)).toEqual([environment]);
    const fields: { field: string; value: string }[] = places[0].shards[0].fields;
    expect(fields.find(({ field }) => field === "IMAGE")?.value).toBe(image);
  });
});

describe("refs of images, each for its environment", () => {
  const [main, next] = ["a".repeat(40), "b".repeat(40)];
  const variable = "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF";
  const file = { "tenon.yaml": `data: ${data}\n` };
  test.for([
    {
      reason: "B-37: the option may be repeated",
      words: ["--image-tag-from-ref", `dev=${main}`, "--image-tag-from-ref", `prod=${next}`],
      env: {},
      tags: { dev: "aaaaaaa", prod: "bbbbbbb" },
    },
    {
      reason: "B-37: the variable has spaces between them",
      words: [],
      env: { [variable]: ` dev=${main}  prod=${next}` },
      tags: { dev: "aaaaaaa", prod: "bbbbbbb" },
    },
    { reason: "B-37: an empty variable is none", words: [], env: { [variable]: "" }, tags: {} },
  ])("$reason", async ({ words, env, tags }) => {
    await using folder = await sampleData(file);
    const { exitCode, stdout } = await tenon(
      [
        "explain",
        "integration/openshift-resources",
        "--config",
        join(folder.path, "tenon.yaml"),
        "-o",
        "json",
        ...words,
      ],
      { env },
    );
    expect(exitCode).toBe(0);
    const { places }: { places: readonly { environment: string; shards: readonly { fields: readonly Field[] }[] }[] } =
      JSON.parse(stdout);
    const chosen = places.flatMap(({ environment, shards }) =>
      (shards[0]?.fields ?? [])
        .filter(({ field, source }) => field === "IMAGE_TAG" && source === "command line")
        .map(({ value }) => [environment, value]),
    );
    expect(Object.fromEntries(chosen)).toEqual(tags);
  });

  test("B-37: a variable that names no ref ends with exit code 1", async () => {
    const { exitCode, stderr } = await tenon(["plan", "--data", data], { env: { [variable]: "dev= prod" } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("ENVIRONMENT=REF") });
  });
});

interface Field {
  readonly field: string;
  readonly value: string;
  readonly source: string;
}

describe("tenon values", () => {
  test("B-5: prints a values file of one namespace", async () => {
    const { exitCode, stdout } = await tenon(["values", "--data", data, "-n", "platform-dev"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^integrations:\n/);
    expect(stdout).toContain("shard_specs:");
  });

  test("prints a document for each namespace", async () => {
    const { stdout } = await tenon(["values", "--data", data]);
    expect([...stdout.matchAll(/^---\n# (.*)$/gm)].map(([, place]) => place)).toContain("stage-1/platform-stage");
  });

  test("an integration that is wrong is told by its line; the others are printed", async () => {
    await using broken = await sampleData({
      "cluster.yml": "$schema: /openshift/cluster-1.yml\nname: c1\nserverUrl: https://c1\n",
      "environment.yml": "$schema: /app-sre/environment-1.yml\nname: e1\n",
      "namespace.yml":
        "$schema: /openshift/namespace-1.yml\nname: n1\ncluster: {$ref: /cluster.yml}\nenvironment: {$ref: /environment.yml}\n",
      "good.yml": integrationFile("good", "static"),
      "bad.yml": integrationFile("bad", "per-planet"),
    });
    const { exitCode, stdout, stderr } = await tenon(["values", "--data", broken.path]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("name: good");
    expect(stdout).not.toContain("name: bad");
    expect(stderr).toMatch(/bad\.yml:\d+:\d+: error: bad: .*per-planet/);
  });
});

function integrationFile(name: string, strategy: string): string {
  return `$schema: /app-sre/integration-1.yml
name: ${name}
description: a sample
managed:
- namespace: {$ref: /namespace.yml}
  spec: {resources: {requests: {cpu: 1m, memory: 1Mi}, limits: {memory: 1Mi}}}
  sharding:
    strategy: ${strategy}
    shards: 2
`;
}

test("tenon explain says of each value where it comes from", async () => {
  const { exitCode, stdout } = await tenon(["explain", "integration/price-feed", "--data", data]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^price-feed in stage-1\/platform-stage \(stage\), by \S+price-feed\.yml:\d+:\d+\n/);
  expect(stdout).toMatch(/\nresources\.limits\.memory +96Mi +spec: \S+price-feed\.yml:\d+:\d+ /);
  expect(stdout).toMatch(/\nIMAGE_TAG +v1\.8\.0 +environment: stage +latest \(chart default\)/);
});
