import { mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { nameCluster } from "./name-cluster.ts";

/** A machine with a running instance `default`, a stopped one, and a ~/.kube/config whose current context is `prod`. */
async function makeMachine({ server = "https://prod.example:6443" }: { readonly server?: string | undefined } = {}) {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
  const data = join(directory.path, "data", "tenon", "clusters");
  const stat = await readFile("/proc/self/stat", "utf8");
  const startTicks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const run = { pid: process.pid, startTicks, startedAt: "2026-01-01T00:00:00Z", ready: true };
  for (const [name, port] of [
    ["default", 16443],
    ["old", 16444],
  ] as const) {
    await mkdir(join(data, name), { recursive: true });
    const instance = { kubernetes: "v1.37.1", port, fakeNodes: 2 };
    await writeFile(join(data, name, "instance.json"), JSON.stringify(instance));
  }
  await writeFile(join(data, "default", "run.json"), JSON.stringify(run));
  const home = join(directory.path, "home");
  await mkdir(join(home, ".kube"), { recursive: true });
  await writeFile(
    join(home, ".kube", "config"),
    `apiVersion: v1
kind: Config
current-context: prod
clusters: [{name: c, cluster: {server: "${server}"}}]
contexts: [{name: prod, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
`,
  );
  const env = {
    HOME: home,
    XDG_DATA_HOME: join(directory.path, "data"),
    XDG_CACHE_HOME: join(directory.path, "cache"),
  };
  const instance = { context: "tenon-default", kubeconfig: join(data, "default", "pki", "admin.kubeconfig") };
  return { env, instance, data, home, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

describe("while an instance runs on this machine", () => {
  test.for([
    ["get", "plugs"],
    ["graph"],
    ["couple", "retry", "shop/db"],
    ["run", "--only", "couple", "--port", "0"],
    ["doctor", "--rbac"],
    ["plan", "--data", "examples/data", "--tenon-namespace", "tenon"],
  ])("`tenon %s` without a terminal refuses to guess, and prints what to type", async (words) => {
    await using machine = await makeMachine();
    const shell = new FakeShell({ env: machine.env, words });
    expect(await runCommandLine(words, shell)).toBe(1);
    expect(shell.stderr.text).toContain("no option names a cluster, and several could be meant");
    const line = `tenon ${words.join(" ")}`;
    expect(shell.stderr.text).toContain(`${line} --instance default    # instance default of this machine`);
    expect(shell.stderr.text).toContain(`${line} --context prod    # context prod of ${machine.home}/.kube/config`);
  });

  test.for([
    { typed: "1", expected: "instance" },
    { typed: "2", expected: "prod" },
  ] as const)("a person is asked, and $typed means $expected", async ({ typed, expected }) => {
    await using machine = await makeMachine();
    const shell = new FakeShell({ env: machine.env, typed: [typed] });
    const named = await nameCluster({}, {}, shell);
    expect(named).toEqual(expected === "instance" ? machine.instance : { context: "prod" });
    expect(shell.stderr.text).toMatch(/which one is meant\?\n {2}1 {2}instance default .*\n {2}2 {2}context prod /);
  });

  test("any answer but one of the numbers names no cluster", async () => {
    await using machine = await makeMachine();
    for (const typed of ["", "3", "prod"]) {
      const shell = new FakeShell({ env: machine.env, typed: [typed] });
      await expect(nameCluster({}, {}, shell)).rejects.toThrow("expected a number from 1 to 2");
    }
  });

  test.for<{ reason: string; choice?: object; config?: object; env?: NodeJS.ProcessEnv; expected: object }>([
    { reason: "an option names a context", choice: { context: "prod" }, expected: { context: "prod" } },
    { reason: "an option names a file", choice: { kubeconfig: "f" }, expected: { kubeconfig: "f" } },
    { reason: "tenon.yaml names a context", config: { context: "prod" }, expected: { context: "prod" } },
    { reason: "KUBECONFIG names a file", env: { KUBECONFIG: "/f" }, expected: {} },
  ])("there is no question if $reason", async ({ choice = {}, config = {}, env = {}, expected }) => {
    await using machine = await makeMachine();
    const shell = new FakeShell({ env: { ...machine.env, ...env } });
    expect(JSON.parse(JSON.stringify(await nameCluster(choice, config, shell)))).toEqual(expected);
  });

  test.for([
    { reason: "--instance", choice: { instance: "default" }, config: {} },
    {
      reason: "--instance, before the context of tenon.yaml",
      choice: { instance: "default" },
      config: { context: "x" },
    },
    { reason: "instance in tenon.yaml", choice: {}, config: { instance: "default" } },
  ])("the instance is used if it is named by $reason", async ({ choice, config }) => {
    await using machine = await makeMachine();
    expect(await nameCluster(choice, config, new FakeShell(machine))).toEqual(machine.instance);
  });

  test.for([
    { name: "old", message: "instance old is stopped", next: '"tenon cluster start --name old"' },
    { name: "new", message: "instance new not found", next: "name one of: default, old" },
  ])("--instance $name is an error, because $message", async ({ name, message, next }) => {
    await using machine = await makeMachine();
    await expect(nameCluster({ instance: name }, {}, new FakeShell(machine))).rejects.toMatchObject({
      what: message,
      next: expect.stringContaining(next),
    });
  });

  test("a current context that is the instance needs no question", async () => {
    await using machine = await makeMachine({ server: "https://127.0.0.1:16443" });
    expect(await nameCluster({}, {}, new FakeShell(machine))).toEqual({});
  });

  test("the instance is meant where there is no kubeconfig", async () => {
    await using machine = await makeMachine();
    const options: FakeShellOptions = { env: { ...machine.env, HOME: "/nowhere" } };
    expect(await nameCluster({}, {}, new FakeShell(options))).toEqual(machine.instance);
  });
});

test("--instance and --context exclude each other", async () => {
  const shell = new FakeShell();
  expect(await runCommandLine(["graph", "--instance", "a", "--context", "b"], shell)).toBe(1);
  expect(shell.stderr.text).toContain("cannot be used with");
});
