import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { annotations, Plug, readCoupledState, Socket } from "#coupling";
import { testKubeconfig, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useCoupling();
const plugRef = (name: string) => ({ apiVersion: Plug.apiVersion, kind: "Plug", namespace: world.app, name });
const socketRef = (name: string) => ({ apiVersion: Socket.apiVersion, kind: "Socket", namespace: world.prov, name });
const isCoupled = (object: KubeObject | undefined) => object !== undefined && readCoupledState(object).isCoupled;
const hasFailed = (object: KubeObject | undefined) => object !== undefined && readCoupledState(object).hasFailed;
const isGone = (object: KubeObject | undefined) => object === undefined;

function lastErrorOf(object: KubeObject | undefined) {
  const { attempts = 0, at = "", retryAt = "" } = (object && Plug.parse(object).status?.lastError) ?? {};
  return { attempts, at, retryAt };
}

function socketFailedAt(object: KubeObject | undefined): string {
  const at = valueAt(object, ["status", "lastError", "at"]);
  return typeof at === "string" ? at : "";
}

function isRefused(object: KubeObject | undefined): boolean {
  const { at, retryAt } = lastErrorOf(object);
  return Date.parse(retryAt) - Date.parse(at) > 120_000;
}

async function tenon(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell(options);
  const exitCode = await runCommandLine([...words, "--kubeconfig", testKubeconfig()], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

/** A plug that cannot be decoupled: its service account may not create the object of that stage. */
async function stuckPlug(name: string): Promise<void> {
  const forbidden = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "x" } };
  await world.apply(
    world.socket(name, {}),
    world.plug(name, {
      socket: { name, namespace: world.prov },
      resources: [{ template: configMap(name) }, { when: ["decoupled"], template: forbidden }],
    }),
  );
  await world.waitFor(plugRef(name), isCoupled);
  await world.client.delete(plugRef(name));
  await world.waitFor(plugRef(name), hasFailed);
}

function configMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

describe("tenon couple retry", () => {
  test("`tenon couple retry` retries a plug before the end of its backoff", async () => {
    await world.apply(
      world.socket("s", {}),
      world.plug("p", {
        socket: { name: "s", namespace: world.prov },
        // Beyond the bounds of a template: Tenon waits its longest, minutes, before it tries again.
        configTemplate: { a: "{% range 1000000000 %}{% end %}" },
      }),
    );
    const before = await world.waitFor(plugRef("p"), isRefused);
    const { exitCode, stdout } = await tenon(["couple", "retry", "-n", world.app, "p"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `Plug ${world.app}/p: retrying\n` });
    const after = await world.waitFor(plugRef("p"), (object) => lastErrorOf(object).at > lastErrorOf(before).at);
    expect(lastErrorOf(after).at < lastErrorOf(before).retryAt).toBe(true);
    expect(after?.metadata.annotations).toHaveProperty([annotations.retry]);
  });

  test("`tenon couple retry socket/NAMESPACE/NAME` retries the stage created of a socket", async () => {
    const ref = world.ref("Socket", "late");
    const made = { template: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not A Name" } } };
    await world.apply(world.socket("late", { resources: [{ when: ["created"], ...made }] }));
    const before = await world.waitFor(ref, (object) => socketFailedAt(object) !== "");
    const { exitCode, stdout } = await tenon(["couple", "retry", `socket/${world.prov}/late`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `Socket ${world.prov}/late: retrying\n` });
    const after = await world.waitFor(ref, (object) => socketFailedAt(object) > socketFailedAt(before));
    expect(after?.metadata.annotations).toHaveProperty([annotations.retry]);
  });

  test("`tenon couple retry` retries no plug if one of them is missing", async () => {
    await world.apply(world.plug("here", {}));
    const { exitCode, stderr } = await tenon(["couple", "retry", `${world.app}/here`, `${world.app}/none`]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Plug ${world.app}/none not found`);
    expect((await world.client.get(plugRef("here"))).metadata.annotations).toBeUndefined();
  });
});

describe("tenon couple release", () => {
  test("`tenon couple release` lists what stays behind, asks, and changes nothing without a yes", async () => {
    await stuckPlug("asked");
    const words = ["couple", "release", `plug/${world.app}/asked`];
    const refused = await tenon(words, { typed: ["no"] });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("it waits because:");
    expect(refused.stderr).toContain(`ConfigMap ${world.app} asked plug`);
    expect(refused.stderr).toContain("was not released");
    const silent = await tenon(words);
    expect(silent.stderr).toContain("--yes");
    expect(await world.client.find(plugRef("asked"))).toBeDefined();
    const released = await tenon(words, { typed: ["yes"] });
    expect(released).toMatchObject({ exitCode: 0, stdout: `Plug ${world.app}/asked is released\n` });
    expect(await world.client.find(plugRef("asked"))).toBeUndefined();
  });

  test("`tenon couple release` leaves alone a new object that got the name during the question", async () => {
    await stuckPlug("renewed");
    async function* replaceThenAgree() {
      await world.client.patch(plugRef("renewed"), { type: "merge", body: { metadata: { finalizers: null } } });
      await world.waitFor(plugRef("renewed"), isGone);
      await world.apply(world.plug("renewed", {}));
      yield "yes\n";
    }
    const shell = new FakeShell({ columns: 80 });
    Object.assign(shell, { stdin: Object.assign(Readable.from(replaceThenAgree()), { isTTY: true }) });
    const words = ["couple", "release", `plug/${world.app}/renewed`, "--kubeconfig", testKubeconfig()];
    expect(await runCommandLine(words, shell)).toBe(0);
    const { annotations: marks = {}, deletionTimestamp } = (await world.client.get(plugRef("renewed"))).metadata;
    expect({ isMarked: annotations.forceDelete in marks, deletionTimestamp }).toEqual({ isMarked: false });
  });

  test("`tenon couple release` of an object that is not in deletion fails", async () => {
    await world.apply(world.socket("alive", {}));
    const { exitCode, stderr } = await tenon(["couple", "release", `socket/${world.prov}/alive`, "--yes"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is not being deleted");
    expect(await world.client.find(socketRef("alive"))).toBeDefined();
  });

  test("`tenon couple release` works without an operator", async () => {
    await world.apply(world.socket("left", {}));
    await world.waitFor(socketRef("left"), (object) => object?.metadata.finalizers !== undefined);
    await world.stop();
    await world.client.delete(socketRef("left"));
    const { exitCode, stdout } = await tenon(["couple", "release", `socket/${world.prov}/left`, "--yes"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("no operator responded");
    await world.waitFor(socketRef("left"), isGone);
    await world.restart();
  });
});
