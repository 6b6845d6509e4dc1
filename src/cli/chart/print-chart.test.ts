import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const charts = join(import.meta.dirname, "..", "..", "..", "test", "charts");
const guarded = join(charts, "guarded");
const kinds = join(charts, "kinds");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-chart-"));
  await writeFile(join(folder, "values.yaml"), "replicas: 7\nowner:\n  name: from a file\n");
  await writeFile(join(folder, "bad.yaml"), "replicas: many\n");
  await writeFile(
    join(folder, "helm"),
    '#!/bin/sh\n[ "$1" = template ] || exit 9\nprintf -- "---\\n# Source: t/templates/x.yaml\\nargs: \\"$*\\"\\n"\n',
  );
  await chmod(join(folder, "helm"), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

const template = `
apiVersion: template.openshift.io/v1
kind: Template
metadata: { name: t }
parameters: [{ name: TAG, value: old }]
objects:
  - { kind: Pod, apiVersion: v1, metadata: { name: p }, spec: { image: "x:\${TAG}" } }
`;

async function render(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell(options);
  const exitCode = await runCommandLine(["chart", "render", ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("tenon chart render", () => {
  test("prints what the chart renders, with values from files and options", async () => {
    const named = ["--name", "mine", "-n", "space", "-f", join(folder, "values.yaml")];
    const set = ["--set", "mode=plain", "--set-string", "image.tag=5", "--set-json", 'hosts=["b"]'];
    const files = ["--set-file", `limits.memory=${join(folder, "bad.yaml")}`, "--set-literal", "limits.cpu=a,b"];
    const cluster = ["--kube-version", "1.25", "-a", "monitoring.coreos.com/v1,x/v1"];
    const { exitCode, stdout } = await render([guarded, ...named, ...set, ...files, ...cluster]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^---\n# Source: guarded\/charts\/limits\/templates\/limits\.yaml\n/);
    for (const part of [
      "name: mine",
      "contact: from a file",
      "maxReplicas: 7",
      "apiVersion: autoscaling/v1",
      "monitoring: true",
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).toContain("cpu: a,b\n  memory: |\n    replicas: many\n");
  });

  test("reads values from standard input", async () => {
    expect((await render([guarded, "-f", "-"], { typed: ["replicas: 9"] })).stdout).toContain("maxReplicas: 9");
  });

  test("prints one list in JSON", async () => {
    const { stdout } = await render([guarded, "-o", "json"]);
    const { kind, items } = JSON.parse(stdout);
    expect([kind, items.map((item: { kind: string }) => item.kind)]).toEqual([
      "List",
      ["LimitRange", "HorizontalPodAutoscaler"],
    ]);
  });

  test("--show-only prints only the given templates, in the given order", async () => {
    const { stdout } = await render([kinds, "-s", "templates/text.txt", "-s", "templates/tests/*"]);
    expect(stdout).toMatch(
      /^---\n# Source: kinds\/templates\/text\.txt\n[^#]*---\n# Source: kinds\/templates\/tests\/connection\.yaml\n/,
    );
  });

  test("leaves out hooks or test hooks, and adds CRDs, by option", async () => {
    expect((await render([kinds, "--no-hooks"])).stdout).not.toContain("helm.sh/hook:");
    expect((await render([kinds, "--skip-tests"])).stdout).not.toContain("connection");
    expect((await render([kinds])).stdout).not.toContain("b.example.com");
    expect((await render([kinds, "--include-crds"])).stdout).toContain("b.example.com");
  });

  test("processes OpenShift templates with parameters", async () => {
    const chart = join(folder, "chart");
    await writeChart(chart);
    const plain = await render([chart]);
    expect(plain.stdout).toContain("kind: Template");
    const { stdout } = await render([chart, "--param", "TAG=new", "--param", "UNKNOWN=x"]);
    expect(stdout).toBe(
      "---\n# Source: t/templates/t.yaml\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  image: x:new\n",
    );
  });

  test("--renderer helm runs the helm on the PATH", async () => {
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    const words = [guarded, "--renderer", "helm", "--set", "a=1", "--include-crds", "-f", "v.yaml"];
    const { stdout } = await render(words, { env });
    expect(stdout).toContain(
      `template release-name ${guarded} --namespace default --values v.yaml --set a=1 --include-crds`,
    );
    expect(JSON.parse((await render([...words, "-o", "json"], { env })).stdout).items).toHaveLength(1);
  });

  test("reports the error of the helm on the PATH, without a stack", async () => {
    const failing = join(folder, "failing");
    await mkdir(failing);
    await writeFile(join(failing, "helm"), "#!/bin/sh\necho 'Error: chart requires kubeVersion: >=1.99' >&2\nexit 1\n");
    await chmod(join(failing, "helm"), 0o755);
    const { exitCode, stderr } = await render([guarded, "--renderer", "helm"], { env: { PATH: failing } });
    expect(exitCode).toBe(1);
    expect(stderr).toBe(`error: ${guarded}: helm failed: chart requires kubeVersion: >=1.99\n`);
  });

  test.each([
    {
      reason: "a missing chart",
      words: ["/nowhere/chart"],
      said: "error: /nowhere/chart: chart not found\n  next: pass a chart folder",
    },
    {
      reason: "values that violate the schema",
      words: [guarded, "-f", "FOLDER/bad.yaml"],
      said: "bad.yaml:1:1: replicas: got string, want integer\n  next: see",
    },
    { reason: "a missing values file", words: [guarded, "-f", "FOLDER/none.yaml"], said: "--values " },
    {
      reason: "a URL as values file",
      words: [guarded, "-f", "https://example.com/v.yaml"],
      said: "values files are not downloaded",
    },
    {
      reason: "a --set without a value",
      words: [guarded, "--set", "replicas"],
      said: '--set replicas: key "replicas" has no value',
    },
    {
      reason: "a missing template",
      words: [guarded, "-s", "templates/nope.yaml"],
      said: "no rendered template matches templates/nope.yaml",
    },
    { reason: "a malformed parameter", words: [guarded, "--param", "x"], said: 'expected NAME=value, got "x"' },
    {
      reason: "a malformed Kubernetes version",
      words: [guarded, "--kube-version", "new"],
      said: '"new" is not a valid Kubernetes version',
    },
    {
      reason: "a failing template",
      words: [guarded, "--set", "owner.name="],
      said: /templates\/app\.yaml:14:\d+: owner\.name must be set, in `contact:/,
    },
    { reason: "a missing helm", words: [guarded, "--renderer", "helm"], said: "cannot start helm" },
  ])("`tenon chart render` reports $reason", async ({ words, said }) => {
    const { exitCode, stderr } = await render(
      words.map((word) => word.replace("FOLDER", folder)),
      { env: { PATH: "/nowhere" } },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(said);
  });
});

async function writeChart(path: string): Promise<void> {
  await mkdir(join(path, "templates"), { recursive: true });
  await writeFile(join(path, "Chart.yaml"), "apiVersion: v2\nname: t\nversion: 1.0.0\n");
  await writeFile(join(path, "templates", "t.yaml"), template);
}
