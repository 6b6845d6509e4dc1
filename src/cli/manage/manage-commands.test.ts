import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { createDataDirectory } from "../data/data-directory.fixture.ts";

const data = join(import.meta.dirname, "..", "..", "..", "examples", "data");

async function tenon(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell(options);
  const exitCode = await runCommandLine(words, shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("bad input ends with exit code 1 and says what to do", () => {
  test.for([
    { words: ["plan"], expected: /no data given[^]*--data/, reason: "no data" },
    {
      words: ["apply", "/nowhere/plan.json"],
      expected: /nowhere.*cannot read the plan[^]*tenon plan --out/,
      reason: "a missing plan file",
    },
    {
      words: ["plan", "--data", data, "--internal", "--external"],
      expected: /cannot be used with/,
      reason: "--internal with --external",
    },
    {
      words: ["plan", "--data", data, "--integration", "price-fed"],
      expected: /price-feed/,
      reason: "an unknown integration",
    },
    { words: ["plan", "--data", data, "--cluster", "stage-2"], expected: /stage-1/, reason: "an unknown cluster" },
    {
      words: ["plan", "--data", data, "--cluster-context", "x"],
      expected: /NAME=CONTEXT/,
      reason: "a --cluster-context without a context",
    },
    {
      words: ["plan", "--data", data, "--token-store", "safe"],
      expected: /file:DIRECTORY/,
      reason: "an unknown token store",
    },
    {
      words: ["plan", "--data", data, "--image-tag-from-ref", "x"],
      expected: /ENVIRONMENT=REF/,
      reason: "B-37: --image-tag-from-ref without a ref is refused",
    },
    { words: ["plan", "--data", data, "--chart", "/nowhere"], expected: /\/nowhere/, reason: "a missing chart" },
    {
      words: ["plan", "--data", data, "--max-deletions", "few"],
      expected: /an integer/,
      reason: "a --max-deletions that is not a number",
    },
    { words: ["run", "--only", "mange"], expected: /manage/, reason: "an unknown job" },
    { words: ["run", "--only", "manage", "--port", "0"], expected: /no data given/, reason: "a job without data" },
    {
      words: ["run", "--only", "manage", "--port", "0", "--data", data, "--interval", "0"],
      expected: /duration/,
      reason: "an interval of 0",
    },
    {
      words: ["explain", "price-feed", "--data", data],
      expected: /integration\/NAME/,
      reason: "an object without a kind",
    },
    {
      words: ["explain", "integration/price-fed", "--data", data],
      expected: /price-feed/,
      reason: "an unknown integration to explain",
    },
    {
      words: ["values", "--data", data, "-n", "platform-stag"],
      expected: /did you mean platform-stage/,
      reason: "an unknown namespace",
    },
    {
      words: ["values", "--data", data, "-n", "platform-prod"],
      expected: /prod-eu and prod-us[^]*--cluster/,
      reason: "a namespace on two clusters",
    },
  ])("$reason", async ({ words, expected }) => {
    const { exitCode, stderr } = await tenon(words, { env: { SLEEP_ON_ERROR: "1" } });
    expect(stderr).toMatch(expected);
    expect(exitCode).toBe(1);
  });
});

test("D-51: a cluster without access is one error of the plan, and the exit code is 1", async () => {
  const { exitCode, stdout, stderr } = await tenon(["plan", "--data", data, "--environment", "dev"]);
  expect(stdout).toMatch(/dev-1: .*clusters\/dev-1\/tenon.*no token store/);
  expect(stderr).toMatch(/^error: the plan has errors: 1 error\n/);
  expect(exitCode).toBe(1);
});

test("E-20: with an unreadable --compare, all namespaces are planned", async () => {
  const words = ["plan", "--data", data, "--environment", "stag", "--compare", "/nowhere"];
  const { exitCode, stdout, stderr } = await tenon(words);
  expect(stderr).toMatch(/^--compare: warning: cannot compare with \/nowhere, so all namespaces are planned: /);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "nothing to do\n" });
});

test("`tenon get integrations` lists what should run on a cluster without access, and the error", async () => {
  const words = ["get", "integrations", "openshift-resources", "--data", data, "--environment", "dev"];
  const { exitCode, stdout, stderr } = await tenon(words);
  expect(stdout).toMatch(/\nopenshift-resources +dev-1\/platform-dev +0\/1 +1 [^]*no token store/);
  expect(stderr).toContain("the list is incomplete: 1 error");
  expect(exitCode).toBe(1);
});

test("`tenon get integrations` takes an integration by its name, or as other commands name it", async () => {
  for (const name of ["openshift-resources", "integration/openshift-resources"]) {
    const { stdout } = await tenon(["get", "integrations", name, "--data", data, "--environment", "dev", "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ integration: "openshift-resources" }]);
  }
});

test("`tenon get integrations` fits 120 columns: names are whole, images lose their beginning, problems are below", async () => {
  const words = ["get", "integrations", "--data", data];
  for (const columns of [120, 80]) {
    const { stdout } = await tenon(words, { columns, env: { NO_COLOR: "1" } });
    const lines = stdout.split("\n");
    expect(Math.max(...lines.slice(0, lines.indexOf("")).map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toMatch(/^INTEGRATION +WHERE +READY +SHARDS +IMAGE +CHANGED$/);
    expect(stdout).toMatch(/\nopenshift-resources +dev-1\/platform-dev +0\/1 /);
    expect(stdout).toMatch(/\n\nopenshift-resources dev-1\/platform-dev\n  [^]*no token store/);
  }
});

test("B-4: an environment without integrations is a warning, no cluster is read, and the exit code is 0", async () => {
  const { exitCode, stdout, stderr } = await tenon(["plan", "--data", data, "--environment", "stag"]);
  expect(stderr).toBe("warning: environment stag has no integrations\n  did you mean stage?\n");
  expect(stdout, "reading a cluster would be an error").toBe("nothing to do\n");
  expect(exitCode).toBe(0);
});

describe("options override variables, which override tenon.yaml", () => {
  const file = `data: ${data}\nenvironment: prod\nimage: from-file\n`;
  test.for([
    { words: [], env: {}, environment: "prod", image: "from-file", source: "settings file" },
    {
      words: [],
      env: { ENVIRONMENT_NAME: "", INTEGRATIONS_MANAGER_IMAGE: "" },
      environment: "prod",
      image: "from-file",
      source: "settings file",
    },
    {
      words: [],
      env: { ENVIRONMENT_NAME: "dev", INTEGRATIONS_MANAGER_IMAGE: "from-env" },
      environment: "dev",
      image: "from-env",
      source: "process environment",
    },
    {
      words: ["--environment", "dev", "--image", "from-option"],
      env: { ENVIRONMENT_NAME: "prod", INTEGRATIONS_MANAGER_IMAGE: "from-env" },
      environment: "dev",
      image: "from-option",
      source: "command line",
    },
  ])(
    "E-2: environment and image come from options or else from variables: $words, $env",
    async ({ words, env, environment, image, source }) => {
      await using folder = await createDataDirectory({ "tenon.yaml": file });
      const config = join(folder.path, "tenon.yaml");
      const { exitCode, stdout } = await tenon(
        ["explain", "integration/openshift-resources", "--config", config, "-o", "json", ...words],
        { env },
      );
      expect(exitCode).toBe(0);
      const { places } = JSON.parse(stdout);
      expect(places.map((place: { environment: string }) => place.environment)).toEqual([environment]);
      const fields: Field[] = places[0].shards[0].fields;
      expect(fields.find(({ field }) => field === "IMAGE")).toMatchObject({ value: image, source });
    },
  );
});

describe("image tags from refs, per environment", () => {
  const [main, next] = ["a".repeat(40), "b".repeat(40)];
  const variable = "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF";
  const file = { "tenon.yaml": `data: ${data}\n` };
  test.for([
    {
      reason: "B-37: --image-tag-from-ref may be repeated",
      words: ["--image-tag-from-ref", `dev=${main}`, "--image-tag-from-ref", `prod=${next}`],
      env: {},
      tags: { dev: "aaaaaaa by command line", prod: "bbbbbbb by command line" },
    },
    {
      reason: "B-37: the variable for image tags from refs is separated by spaces",
      words: [],
      env: { [variable]: ` dev=${main}  prod=${next}` },
      tags: { dev: "aaaaaaa by process environment", prod: "bbbbbbb by process environment" },
    },
    {
      reason: "B-37: an empty variable for image tags from refs counts as unset",
      words: [],
      env: { [variable]: "" },
      tags: {},
    },
  ])("$reason", async ({ words, env, tags }) => {
    await using folder = await createDataDirectory(file);
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
        .filter(({ field, where }) => field === "IMAGE_TAG" && where?.includes(" of https://"))
        .map(({ value, source }) => [environment, `${value} by ${source}`]),
    );
    expect(Object.fromEntries(chosen)).toEqual(tags);
  });

  test("B-37: a variable for image tags without a ref ends with exit code 1", async () => {
    const { exitCode, stderr } = await tenon(["plan", "--data", data], { env: { [variable]: "dev= prod" } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("ENVIRONMENT=REF") });
  });
});

interface Field {
  readonly field: string;
  readonly value: string;
  readonly source: string;
  readonly where?: string;
}

describe("tenon values", () => {
  test("B-5: `tenon values -n` prints the values file of one namespace", async () => {
    const { exitCode, stdout } = await tenon(["values", "--data", data, "-n", "platform-dev"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^integrations:\n/);
    expect(stdout).toContain("shard_specs:");
  });

  test("`tenon values` prints a document per namespace", async () => {
    const { stdout } = await tenon(["values", "--data", data]);
    expect([...stdout.matchAll(/^---\n# (.*)$/gm)].map(([, target]) => target)).toContain("stage-1/platform-stage");
  });

  test("`tenon values` reports an invalid integration with its line, and prints the others", async () => {
    await using broken = await createDataDirectory({
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

test("`tenon explain integration` prints where each value comes from", async () => {
  const { exitCode, stdout } = await tenon(["explain", "integration/price-feed", "--data", data]);
  expect(exitCode).toBe(0);
  const file = "examples/data/data/integrations/price-feed.yml";
  expect(stdout).toContain(`price-feed in stage-1/platform-stage (stage), by ${file}:9:3\n`);
  expect(stdout).toMatch(new RegExp(`\nresources\\.limits\\.memory +96Mi +spec: ${file}:27:9\n`));
  expect(stdout).toMatch(/\nIMAGE_TAG +v1\.8\.0 +environment: examples\/data\/data\/environments\/stage\.yml:11:3\n/);
  expect(stdout).toContain("\nIMAGE_TAG\n  instead of latest (chart default)\n");
});

test("file and line of `tenon explain integration` survive a terminal of 80 columns", async () => {
  const words = ["explain", "integration/price-feed", "--data", data];
  const { stdout } = await tenon(words, { columns: 80, env: { NO_COLOR: "1" } });
  const [table = ""] = stdout.split("\n\n");
  const lines = table.split("\n").slice(1);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.find((line) => line.startsWith("resources.limits.memory "))).toMatch(/price-feed\.yml:27:9$/);
});

test("`tenon explain integration --shard` prints one shard, and names the shards if there is no such one", async () => {
  const words = ["explain", "integration/github-members", "--data", data, "--shard"];
  const one = await tenon([...words, "1"]);
  expect(one.stdout.match(/ in stage-1\/platform-stage /g)).toHaveLength(1);
  expect(one.stdout).toMatch(/github-members-1 in [^]*\nSHARD_ID +1 /);
  const none = await tenon([...words, "7"]);
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain("github-members has no shard 7");
  expect(none.stderr).toContain("github-members-0, github-members-1");
});

describe("`tenon render`", () => {
  test("prints the objects of an integration as YAML that kubectl reads, without a cluster", async () => {
    const words = ["render", "integration/github-members", "--data", data];
    const { exitCode, stdout } = await tenon(words);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^---\n# stage-1\/platform-stage\napiVersion: apps\/v1\nkind: Deployment\n/);
    expect(stdout.match(/^kind: Deployment$/gm)).toHaveLength(2);
    expect(stdout).toContain("\n  namespace: platform-stage\n");
    const one = await tenon([...words, "--shard", "1", "-o", "json"]);
    expect(JSON.parse(one.stdout)).toMatchObject([
      { cluster: "stage-1", namespace: "platform-stage", objects: [{ metadata: { name: "github-members-1" } }] },
    ]);
  });

  test.each([
    { words: ["integration/prize-feed"], message: "did you mean price-feed?" },
    { words: ["integration/price-feed", "-n", "elsewhere"], message: "no integration runs in namespace elsewhere" },
    { words: ["integration/github-members", "--shard", "9"], message: "its shards: 0, 1" },
  ])("with $words is refused: $message", async ({ words, message }) => {
    const { exitCode, stderr } = await tenon(["render", ...words, "--data", data]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });
});
