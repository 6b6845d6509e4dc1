import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { connectTestApi, testKubeconfig } from "#harness";
import { loadAccess } from "#kube";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { copyExampleData } from "./example-data.fixture.ts";

const suffix = crypto.randomUUID().slice(0, 8);
const stage = `platform-stage-${suffix}`;
const kubeconfig = testKubeconfig();
const api = connectTestApi(kubeconfig);
const deployment = `/apis/apps/v1/namespaces/${stage}/deployments/price-feed`;
let data: Awaited<ReturnType<typeof copyExampleData>>;

beforeAll(async () => {
  data = await copyExampleData(suffix);
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: stage } });
  const { context } = await loadAccess({ kubeconfig });
  const settings = ["data: .", `kubeconfig: ${kubeconfig}`, `context: ${context}`, "stateFile: state.json"];
  await writeFile(join(data.path, "tenon.yaml"), [...settings, "environment: stage"].join("\n"));
});
afterAll(async () => {
  await api.call("DELETE", `/api/v1/namespaces/${stage}`);
  await api[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

async function tenon(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell(options);
  const exitCode = await runCommandLine([...words, "--config", join(data.path, "tenon.yaml")], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

async function setMemory(memory: string): Promise<void> {
  const file = join(data.path, "data", "integrations", "price-feed.yml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/(limits:\n +memory: ).*/, `$1${memory}`));
}

async function liveMemory(): Promise<unknown> {
  const { body } = await api.call("GET", deployment);
  return valueAt(body, ["spec", "template", "spec", "containers", 0, "resources", "limits", "memory"]);
}

describe("`tenon suspend` and `tenon resume`", () => {
  test("a suspended integration is held back with its reason by plan, get and apply, also by a plan that was saved before", async () => {
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    await setMemory("112Mi");
    const out = join(data.path, "plan.json");
    expect((await tenon(["plan", "--out", out])).exitCode).toBe(2);

    const suspended = await tenon(["suspend", "price-feed", "--reason", "incident 42"]);
    expect(suspended).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/price-feed +stage-1\/\S+ +Deployment/),
    });
    const plan = await tenon(["plan"]);
    expect(plan.exitCode).toBe(0);
    expect(plan.stdout).toContain(
      `  ! update stage-1/${stage} Deployment price-feed: suspended: incident 42\n      next: to resume: tenon resume price-feed`,
    );
    expect(plan.stderr).toContain(`stage-1/${stage}: warning: price-feed is suspended: incident 42`);
    const listed = await tenon(["get", "integrations", "price-feed", "-o", "json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { suspended: "incident 42", trouble: expect.arrayContaining(["suspended: incident 42"]) },
    ]);
    for (const words of [
      ["apply", "--yes"],
      ["apply", out, "--yes"],
    ]) {
      expect((await tenon(words)).exitCode).toBe(0);
      expect(await liveMemory()).toBe("96Mi");
    }
  });

  test("a resumed integration gets the pending changes", async () => {
    expect((await tenon(["resume", "integration/price-feed", "-n", stage])).exitCode).toBe(0);
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    expect(await liveMemory()).toBe("112Mi");
    const again = await tenon(["resume", "price-feed"]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no annotation suspends them here") });
  });
});
