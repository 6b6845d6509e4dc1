import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test, vi } from "vitest";
import { valueAt } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { loadAccess } from "#kube";
import { copyExampleData, listedNames } from "../manage/example-data.fixture.ts";

const { api, namespace } = useNamespace();
const tenon = join(import.meta.dirname, "..", "..", "..", "bin", "tenon");
const waiting = { timeout: 300_000, interval: 50 };

/** In a separate process, because the imports of the test must not matter. */
async function startRun(config: string) {
  const child = spawn(tenon, ["run", "--only", "manage", "--config", config, "--port", "0", "--console"], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], SLEEP_ON_ERROR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  const lines: { msg: string; level: string; port?: number }[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(JSON.parse(line)));
  return {
    child,
    lines,
    said,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "close");
      }
    },
  };
}

/** The plan of the console whose link was printed. */
async function readPlan(said: string): Promise<unknown> {
  const [, origin = "", link] = /^ *(http:\S+)\/login#(\S+)$/m.exec(said) ?? [];
  const headers = { origin, "content-type": "application/json" };
  const login = await fetch(`${origin}/api/session`, { method: "POST", headers, body: JSON.stringify({ link }) });
  const cookie = (login.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  return await (await fetch(`${origin}/api/plan`, { headers: { cookie } })).json();
}

test("`tenon run` rolls out, follows the files, corrects drift, is the only leader, and shuts down", async () => {
  await using data = await copyExampleData(namespace);
  const { context } = await loadAccess({ kubeconfig: testKubeconfig() });
  const stage = join(data.path, "data", "services", "platform", "namespaces", "platform-stage.yml");
  await writeFile(stage, (await readFile(stage, "utf8")).replace(/^name: .*$/m, `name: ${namespace}`));
  const config = join(data.path, "tenon.yaml");
  await writeFile(
    config,
    `data: .\nenvironment: stage\nkubeconfig: ${testKubeconfig()}\ncontext: ${context}\nnamespace: ${namespace}\nconsole: { port: 0 }\n`,
  );
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const names = async () => listedNames((await api.call("GET", deployments)).body);
  const all = ["github-members-0", "github-members-1", "price-feed"];

  await using running = await startRun(config);
  await vi.waitFor(async () => expect(await names()).toEqual(all), waiting);
  const port = running.lines.find(({ msg }) => msg === "running")?.port;
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), waiting);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('qontract_reconcile_last_run_status{integration="integrations-manager"');
  const address = / is at (http:\S+)$/m.exec(running.said.join("\n"))?.[1] ?? "";
  expect((await fetch(`${address}/api/session`)).status, "the console beside the jobs asks for a login").toBe(401);
  expect(await readPlan(running.said.join("\n")), "the console shows the plan of the data").toMatchObject({
    actions: [],
    integrations: expect.arrayContaining(["github-members", "price-feed"]),
  });

  await api.call("DELETE", `${deployments}/price-feed`);
  await vi.waitFor(async () => expect(await names()).toEqual(all), waiting);

  await rm(join(data.path, "data", "integrations", "github-members.yml"));
  await vi.waitFor(async () => expect(await names()).toEqual(["price-feed"]), waiting);

  const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/tenon-manage`;
  const holder = async () => valueAt((await api.call("GET", lease)).body, ["spec", "holderIdentity"]);
  expect(await holder()).toMatch(/./);
  running.child.kill("SIGTERM");
  const [code, signal] = await once(running.child, "close");
  expect({ code, signal }).toEqual({ code: 143, signal: null });
  expect((await holder()) ?? "").toBe("");
  expect(running.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  const memory = await api.call("GET", `/api/v1/namespaces/${namespace}/configmaps/tenon-managed-namespaces`);
  expect(memory.status).toBe(200);
});
