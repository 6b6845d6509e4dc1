import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { temporaryHome, testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { EphemeralClaim, EphemeralClass } from "#promotion";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const namespace = `person-${crypto.randomUUID().slice(0, 8)}`;
const className = `${namespace}-small`;
const ending = new AbortController();
let home: Awaited<ReturnType<typeof temporaryHome>>;
let client: KubeClient;
let running: Promise<number>;

beforeAll(async () => {
  home = await temporaryHome();
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const shell = new FakeShell({ env: { NO_COLOR: "1" }, signal: ending.signal });
  const words = ["run", "--only", "promote", "--promote", "environments", "--install-crds", "--port", "0"];
  running = runCommandLine([...words, "--tenon-namespace", namespace, "--kubeconfig", testKubeconfig()], shell);
  const { apiVersion, kind } = EphemeralClass;
  await client.discovery.whenServed({ apiVersion, kind }, AbortSignal.timeout(300_000));
  await client.discovery.whenServed(EphemeralClaim, AbortSignal.timeout(300_000));
  await client.create({ apiVersion, kind, metadata: { name: className }, spec: { maxPerNamespace: 1 } });
});
afterAll(async () => {
  await client.delete({ apiVersion: EphemeralClass.apiVersion, kind: EphemeralClass.kind, name: className });
  ending.abort(new Error("the tests are over"));
  await running;
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
  await client.transport[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

async function tenon(words: readonly string[], signal?: AbortSignal) {
  const shell = new FakeShell({ env: { NO_COLOR: "1" }, ...(signal ? { signal } : {}) });
  const exitCode = await runCommandLine([...words, "--kubeconfig", testKubeconfig()], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

test("a person gets an environment with a kubeconfig, sees it, and gives it back", async () => {
  const file = join(home.data, "env.kubeconfig");
  const words = ["promote", "env", "create", `${namespace}/mine`, "--class", className, "--ttl", "1h", "--to", file];
  const made = await tenon(words);
  expect(made).toMatchObject({ exitCode: 0, stderr: "" });
  expect(made.stdout).toContain(`its kubeconfig is in ${file}`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await using inside = connect(await loadAccess({ kubeconfig: file }));
  const [, environment = ""] = /environment (env-[0-9a-f]{16}) is ready/.exec(made.stdout) ?? [];
  const metadata = { name: "app", namespace: environment };
  await createClient(inside).create({ apiVersion: "v1", kind: "ConfigMap", metadata });

  const shown = await tenon(["get", "claims", "-n", namespace, "-o", "json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject([{ claim: "mine", phase: "Ready", environment, className }]);
  const explained = await tenon(["explain", `claim/${namespace}/mine`]);
  expect(explained.stdout).toContain(`kubeconfig: Secret ${namespace}/mine-kubeconfig, key kubeconfig`);
  const token = /token: (\S+)/.exec(await readFile(file, "utf8"))?.[1] ?? "none";
  expect(`${made.stdout}${shown.stdout}${explained.stdout}`).not.toContain(token);

  const gone = await tenon(["promote", "env", "delete", `${namespace}/mine`]);
  expect(gone).toMatchObject({ exitCode: 0, stderr: "" });
  expect(gone.stdout).toContain("are gone");
  expect(await client.find({ apiVersion: "v1", kind: "Namespace", name: environment })).toBeUndefined();
});

test("a claim that waits shows its place in the queue and why", async () => {
  const first = await tenon(["promote", "env", "create", `${namespace}/first`, "--class", className]);
  expect(first.exitCode).toBe(0);
  const second = tenon(["promote", "env", "create", `${namespace}/second`, "--class", className]);
  const reason = `place 1 in the queue: namespace ${namespace} has 1 of 1 environments of class ${className}`;
  await vi.waitUntil(
    async () => (await tenon(["get", "claims", `${namespace}/second`, "-o", "json"])).stdout.includes(reason),
    { timeout: 300_000, interval: 200 },
  );
  expect((await tenon(["promote", "env", "delete", `${namespace}/first`])).exitCode).toBe(0);
  expect(await second).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`waiting: ${reason}`) });
  expect((await tenon(["promote", "env", "delete", `${namespace}/second`])).exitCode).toBe(0);
});

test("a claim that does not exist is named, with the command that lists all", async () => {
  for (const words of [
    ["explain", `claim/${namespace}/none`],
    ["promote", "env", "delete", `${namespace}/none`],
  ]) {
    const { exitCode, stderr } = await tenon(words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`EphemeralClaim ${namespace}/none not found`);
  }
});
