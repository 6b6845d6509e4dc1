import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { connectTestApi, testKubeconfig } from "#harness";
import { loadAccess } from "#kube";
import { hearRequests } from "../../integrations/notify/hear-requests.fixture.ts";
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

async function git(...words: readonly string[]): Promise<string> {
  const who = ["-c", "user.name=t", "-c", "user.email=t@t"];
  return (await promisify(execFile)("git", ["-C", data.path, ...who, ...words])).stdout;
}

/** Commits all data files; the hash. */
async function commit(): Promise<string> {
  await git("init", "--quiet");
  await git("add", "data");
  await git("commit", "--quiet", "--allow-empty", "--message", "change");
  return (await git("rev-parse", "HEAD")).trim();
}

/** The number of the newest entry that was applied from a commit. */
async function entryOf(revision: string): Promise<number> {
  const rows: unknown = JSON.parse((await tenon(["history", "-o", "json"])).stdout);
  const found = Array.isArray(rows) ? rows.find((row) => valueAt(row, ["source", "commit"]) === revision) : undefined;
  return Number(valueAt(found, ["id"]));
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

describe("`tenon history` and `tenon rollback`", () => {
  let good = "";

  test("`tenon history` lists what was applied, from which commit, and each object with its hashes", async () => {
    await setMemory("120Mi");
    good = await commit();
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    await setMemory("100Mi");
    await commit();
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    const { stdout } = await tenon(["history"]);
    const [, newest = ""] = stdout.split("\n");
    expect(newest).toMatch(/1 updated +price-feed/);
    const entry = await entryOf(good);
    const detail = await tenon(["history", String(entry)]);
    expect(detail.stdout).toMatch(
      /done +update +\S+ +Deployment +price-feed +price-feed +[0-9a-f]{16} +[0-9a-f]{16}\n/,
    );
    expect((await tenon(["history", "999"])).stderr).toContain("history entry 999 not found");
  });

  test("`tenon rollback` shows its plan, and changes nothing without a yes", async () => {
    const entry = String(await entryOf(good));
    const shown = await tenon(["rollback", entry]);
    expect(shown.exitCode).toBe(1);
    expect(shown.stdout).toContain('resources.limits.memory: "100Mi" -> "120Mi"');
    expect(shown.stderr).toContain("--yes");
    expect((await tenon(["rollback", entry, "--dry-run"])).exitCode).toBe(0);
    expect(await liveMemory()).toBe("100Mi");
    expect((await tenon(["plan"])).stdout).toMatch(/^\d+ unchanged\n$/);
  });

  test("`tenon rollback` applies the data of then, and suspends what it rolled back until it is resumed", async () => {
    const entry = String(await entryOf(good));
    const rolled = await tenon(["rollback", entry, "--yes"]);
    expect(rolled).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("then: tenon resume price-feed") });
    expect(rolled.stderr).not.toContain("it is not what it was then");
    expect(await liveMemory()).toBe("120Mi");
    const plan = await tenon(["plan"]);
    expect(plan.stdout).toContain(`suspended: rolled back to entry ${entry} (${good.slice(0, 12)}) by `);
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    expect(await liveMemory()).toBe("120Mi");
    expect((await tenon(["history"])).stdout).toContain(`rollback to ${entry}: 1 updated`);

    await setMemory("120Mi");
    expect((await tenon(["resume", "price-feed"])).exitCode).toBe(0);
    expect((await tenon(["plan"])).stdout).toMatch(/^\d+ unchanged\n$/);
  });

  test("a running manager leaves a rollback alone until it is resumed, and records what it applies itself", async () => {
    const end = new AbortController();
    const shell = new FakeShell({ signal: end.signal });
    const words = ["run", "--only", "manage", "--port", "0", "--no-leader-election"];
    const running = runCommandLine([...words, "--config", join(data.path, "tenon.yaml")], shell);
    await setMemory("100Mi");
    await expect.poll(liveMemory, { interval: 100 }).toBe("100Mi");
    const entry = String(await entryOf(good));
    expect((await tenon(["rollback", entry, "--yes"])).exitCode).toBe(0);
    await expect.poll(() => shell.stderr.text, { interval: 100 }).toContain("integration suspended");
    expect(await liveMemory()).toBe("120Mi");
    expect((await tenon(["resume", "price-feed"])).exitCode).toBe(0);
    await expect.poll(liveMemory, { interval: 100 }).toBe("100Mi");
    end.abort();
    await running;
    const [newest, rollback] = JSON.parse((await tenon(["history", "-o", "json"])).stdout);
    expect(newest).toMatchObject({ counts: { updated: 1 }, integrations: ["price-feed"] });
    expect(rollback).toMatchObject({ rollbackTo: Number(entry) });
  });

  test("`tenon rollback` deletes an integration that came later, and says that the data brings it back", async () => {
    const entry = String(await entryOf(good));
    const files = join(data.path, "data", "integrations");
    const text = await readFile(join(files, "price-feed.yml"), "utf8");
    await writeFile(join(files, "toll-feed.yml"), text.replace("name: price-feed", "name: toll-feed"));
    expect((await tenon(["apply", "--yes"])).exitCode).toBe(0);
    const rolled = await tenon(["rollback", entry, "--integration", "toll-feed", "--yes"]);
    expect(rolled.stdout).toContain("- Deployment toll-feed: no longer desired");
    expect(rolled.stderr).toContain("toll-feed: deleted, and nothing is left to suspend");
    await rm(join(files, "toll-feed.yml"));
    expect(rolled.exitCode).toBe(0);
  });

  test("`tenon rollback` refuses an entry whose data was in no commit, and an environment without a history", async () => {
    const [first] = JSON.parse(await readFile(join(data.path, "state.history.json"), "utf8")).entries;
    const uncommitted = await tenon(["rollback", String(first.id), "--yes"]);
    expect(uncommitted).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("was in no commit") });
    const nowhere = join(data.path, "none.json");
    expect((await tenon(["rollback", "1", "--state-file", nowhere])).stderr).toContain("nothing was applied yet");
  });
});

test("webhooks and a Pushgateway hear of an apply and of a run, and a webhook that fails fails neither", async () => {
  const { origin, heard } = await hearRequests(({ path }) => (path === "/broken" ? 404 : 200));
  const config = join(data.path, "tenon.yaml");
  const before = await readFile(config, "utf8");
  const hooks = ["notifications:", "- urlFrom: {file: hook}", "  events: [applied]", `- url: ${origin}/broken`];
  await writeFile(join(data.path, "hook"), `${origin}/hook\n`);
  await writeFile(config, [before, ...hooks].join("\n"));
  const env = { PUSHGATEWAY_URL: origin };

  await setMemory("104Mi");
  const applied = await tenon(["apply", "--yes"], { env });
  expect(applied).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("the webhook answers 404") });
  const [hook] = heard.filter(({ path }) => path === "/hook").map(({ body }) => JSON.parse(body));
  expect(hook).toMatchObject({ event: "applied", text: "tenon: 1 updated (price-feed)", why: "apply" });
  const push = heard.find(({ path }) => path.startsWith("/metrics/job/qontract-reconcile/"));
  expect(push?.body).toMatch(/qontract_reconcile_last_run_status\{.*\} 0/);
  expect(push?.body).toContain(`namespace="${stage}",kind="Deployment",state="desired"`);

  const soFar = heard.length;
  await setMemory("108Mi");
  expect((await tenon(["run", "--only", "manage", "--once", "--port", "0"], { env })).exitCode).toBe(0);
  const more = heard.slice(soFar).map(({ path }) => path);
  expect(more).toEqual(expect.arrayContaining(["/hook", expect.stringContaining("/shard_id/0-1")]));
});
