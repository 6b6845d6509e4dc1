import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { connectTestApi, testKubeconfig } from "#harness";
import { loadAccess } from "#kube";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { copyExampleData, listedNames } from "./example-data.fixture.ts";

const suffix = crypto.randomUUID().slice(0, 8);
const [dev, stage] = [`platform-dev-${suffix}`, `platform-stage-${suffix}`];
const namespaces = [dev, stage, `platform-prod-${suffix}`, `depot-${suffix}`];
const kubeconfig = testKubeconfig();
const api = connectTestApi(kubeconfig);
let data: Awaited<ReturnType<typeof copyExampleData>>;

beforeAll(async () => {
  data = await copyExampleData(suffix);
  for (const name of namespaces) await api.call("POST", "/api/v1/namespaces", { metadata: { name } });
  const { context } = await loadAccess({ kubeconfig });
  await writeFile(
    join(data.path, "tenon.yaml"),
    ["data: .", `kubeconfig: ${kubeconfig}`, `context: ${context}`, "stateFile: state.json", "side: external"].join(
      "\n",
    ),
  );
});
afterAll(async () => {
  for (const name of namespaces) await api.call("DELETE", `/api/v1/namespaces/${name}`);
  await api[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

async function tenon(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell(options);
  const exitCode = await runCommandLine([...words, "--config", join(data.path, "tenon.yaml")], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

async function deployments(namespace: string): Promise<string[]> {
  const { body } = await api.call("GET", `/apis/apps/v1/namespaces/${namespace}/deployments`);
  return listedNames(body);
}

async function plannedIn(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await tenon(["plan", ...words]);
  return namespaces.filter((namespace) => stdout.includes(`/${namespace}\n`));
}

const all = ["github-members-0", "github-members-1", "price-feed"];

describe("from data files to running shards", () => {
  test("`tenon plan` shows missing objects with exit code 2, and changes nothing", async () => {
    const { exitCode, stdout } = await tenon(["plan"]);
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`stage-1/${stage}\n`);
    expect(stdout).toContain("  + Deployment price-feed: new\n");
    expect(stdout).toMatch(/\n\d+ to create\n$/);
    expect(await deployments(stage)).toEqual([]);
    expect((await tenon(["plan", "--exit-zero"])).exitCode).toBe(0);
  });

  test("E-6: without --environment, a plan covers all environments", async () => {
    expect(await plannedIn("--environment", "stage")).toEqual([stage]);
    expect(await plannedIn()).toEqual(expect.arrayContaining([dev, stage, `platform-prod-${suffix}`]));
  });

  test("`tenon plan -n` plans only the namespaces of that name", async () => {
    expect(await plannedIn("-n", stage)).toEqual([stage]);
    const { exitCode, stderr } = await tenon(["plan", "-n", `${stage}x`]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`no integration runs in namespace ${stage}x`);
    expect(stderr).toContain(`did you mean ${stage}?`);
  });

  test("E-3: `tenon apply` needs neither helm nor oc", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("PATH", "/nowhere");
    const { exitCode, stdout } = await tenon(["apply", "--dry-run"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"kind": "Deployment"');
  });

  test("`tenon apply --dry-run` prints the API calls, and makes none", async () => {
    const { exitCode, stdout } = await tenon(["apply", "--dry-run", "--integration", "price-feed"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`\nstage-1: (POST|PATCH) /apis/apps/v1/namespaces/${stage}/deployments`));
    expect(stdout).toContain('"kind": "Deployment"');
    expect(await deployments(stage)).toEqual([]);
  });

  test("`tenon apply` changes nothing after a no, and without a terminal needs --yes", async () => {
    const no = await tenon(["apply"], { typed: ["n"] });
    expect(no.stderr).toMatch(/change \d+ objects\? \[y\/N\][^]*nothing was changed/);
    const silent = await tenon(["apply"]);
    expect(silent.stderr).toContain("--yes");
    expect([no.exitCode, silent.exitCode]).toEqual([1, 1]);
    expect(await deployments(stage)).toEqual([]);
  });

  test("D-51: `tenon apply` exits with 0, and a second run has nothing to do", async () => {
    const { exitCode, stdout } = await tenon(["apply"], { typed: ["y"] });
    expect(stdout).toMatch(/\n(\d+) of \1 done\n$/);
    expect(exitCode).toBe(0);
    expect(await deployments(stage)).toEqual(all);
    const again = await tenon(["plan"]);
    expect(again.stdout).toMatch(/^\d+ unchanged\n$/);
    expect(again.exitCode).toBe(0);
  });

  test("`tenon get integrations` prints what should run, what does, and since when", async () => {
    const { exitCode, stdout } = await tenon(["get", "integrations", "github-members", "price-feed", "-o", "json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({
        integration: "github-members",
        cluster: "stage-1",
        namespace: stage,
        environment: "stage",
        desired: 2,
        shards: [
          expect.objectContaining({ name: "github-members-0", kind: "Deployment", desired: 1 }),
          expect.objectContaining({ name: "github-members-1" }),
        ],
        lastChange: expect.stringMatching(/^20\d\d-/),
      }),
      expect.objectContaining({ integration: "price-feed", image: "quay.io/app-sre/qontract-reconcile:v2.0.1" }),
    ]);
  });

  test("`tenon get integrations` says why the pods of an unready shard do not start", async () => {
    const file = join(data.path, "data", "integrations", "github-members.yml");
    const good = await readFile(file, "utf8");
    await writeFile(file, good.replace("cpu: 100m", 'cpu: "900"'));
    const workload = `/apis/apps/v1/namespaces/${stage}/deployments/github-members`;
    for (const shard of [0, 1]) await api.call("DELETE", `${workload}-${shard}`);
    expect((await tenon(["apply", "--yes", "--integration", "github-members"])).exitCode).toBe(0);
    const get = async () => (await tenon(["get", "integrations", "github-members", "price-feed"])).stdout;
    await expect
      .poll(get, { timeout: 120_000 })
      .toMatch(
        /^INTEGRATION .*\ngithub-members +\S+ +0\/2 [^]*\n\ngithub-members \S+\n  2 of 2 shards \(all\): 0 of 1 ready: cannot be scheduled: \d+ Insufficient\s+cpu/,
      );
    await writeFile(file, good);
    expect((await tenon(["apply", "--yes", "--integration", "github-members"])).exitCode).toBe(0);
  });

  test("`tenon get integrations` shows the image that runs, and not the one that the data asks for since", async () => {
    const words = ["get", "integrations", "price-feed", "--image", "quay.io/other/image"];
    const [row] = JSON.parse((await tenon([...words, "-o", "json"])).stdout);
    expect(row).toMatchObject({
      image: "quay.io/app-sre/qontract-reconcile:v2.0.1",
      shards: [{ desiredImage: "quay.io/other/image:v2.0.1" }],
    });
    expect(row.trouble).toContainEqual(expect.stringMatching(/^out of date/));
  });

  test("the plan of a changed file is a diff by field, and of a removed file a deletion", async () => {
    const file = join(data.path, "data", "integrations", "price-feed.yml");
    await writeFile(file, (await readFile(file, "utf8")).replace("memory: 96Mi", "memory: 112Mi"));
    await rm(join(data.path, "data", "integrations", "github-members.yml"));
    const out = join(data.path, "plan.json");
    const { exitCode, stdout } = await tenon(["plan", "--out", out]);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('      ~ spec.template.spec.containers[int].resources.limits.memory: "96Mi" -> "112Mi"\n');
    expect(stdout).toContain("  - Deployment github-members-1: no longer desired\n");
    const comment = await tenon(["plan", "--exit-zero", "-o", "markdown"]);
    expect(comment.stdout).toMatch(/^### 1 to update, 2 to delete, \d+ unchanged\n/);
  });

  test("`tenon apply` of a saved plan applies it once", async () => {
    const out = join(data.path, "plan.json");
    expect((await tenon(["apply", out, "-y"])).exitCode).toBe(0);
    expect(await deployments(stage)).toEqual(["price-feed"]);
    const stale = await tenon(["apply", out, "--yes"]);
    expect(stale.exitCode).toBe(1);
    expect(stale.stdout).toMatch(/refused +update [^]* was changed since/);
  });

  test("D-51: with a broken integration or an unreachable cluster, everything else is applied, and the exit code is 1", async () => {
    const file = join(data.path, "data", "integrations", "price-feed.yml");
    const good = await readFile(file, "utf8");
    await writeFile(file, good.replace("command: price-feed", "comand: price-feed"));
    await api.call("DELETE", `/apis/apps/v1/namespaces/${dev}/deployments/openshift-resources`);
    const broken = await tenon(["apply", "--yes"]);
    expect(broken.stdout).toMatch(/price-feed\.yml:\d+:\d+: .*comand/);
    expect(broken.exitCode).toBe(1);
    expect(await deployments(stage)).toEqual(["price-feed"]);
    expect(await deployments(dev)).toContain("openshift-resources");
    await writeFile(file, good);
    const nowhere = await tenon(["plan", "--cluster-context", "stage-1=nowhere"]);
    expect(nowhere.exitCode).toBe(1);
    expect(nowhere.stdout).toMatch(/stage-1: .*nowhere/);
  });

  test("E-21: --compare skips namespaces with the same desired state, and plans the others", async () => {
    const same = await tenon(["plan", "--compare", data.path]);
    expect(same).toMatchObject({ exitCode: 0, stdout: "nothing to do\n" });
    await using other = await copyExampleData(suffix);
    const differs = await tenon(["plan", "--compare", other.path]);
    expect(differs.stdout).toMatch(/^\d+ unchanged\n$/);
  });

  test("a namespace that loses its last integration is cleaned up", async () => {
    await rm(join(data.path, "data", "integrations", "openshift-resources.yml"));
    await rm(join(data.path, "data", "integrations", "whereabouts.yml"));
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    expect(await deployments(dev)).toEqual([]);
  });
});
