import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { testKubeconfig, useNamespace, type TestNamespace } from "#harness";

const { api, namespace } = useNamespace();
const kubeconfig = testKubeconfig();
const script = fileURLToPath(new URL("failover-candidate.fixture.ts", import.meta.url));
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/failover`;
/** The lease of a candidate that was given no other. */
const leaseMs = 3_000;

const Line = z.object({
  event: z.string(),
  key: z.string().optional(),
  name: z.string().optional(),
  status: z.number().optional(),
});
type Line = z.infer<typeof Line>;

function start(identity: string, ...flags: string[]) {
  const args = ["--kubeconfig", kubeconfig, "--namespace", namespace, "--identity", identity, ...flags];
  const child = spawn(process.execPath, [script, ...args], { stdio: "pipe" });
  const said: Line[] = [];
  const waiting = new Set<() => void>();
  function hear(line: Line): void {
    said.push(line);
    for (const recheck of waiting) recheck();
  }
  createInterface(child.stdout).on("line", (line) => hear(Line.parse(JSON.parse(line))));
  createInterface(child.stderr).on("line", (line) => {
    if (line.includes("another instance leads")) hear({ event: "stands by" });
  });
  const exit = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  return {
    said,
    exit,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    tell: () => child.stdin.write("go\n"),
    /** Waits until it has said such a thing, since its line of that number. */
    when: (fits: (line: Line) => boolean, from = 0) =>
      new Promise<Line>((resolve) => {
        const check = (): void => {
          const line = said.slice(from).find(fits);
          if (!line) return;
          waiting.delete(check);
          resolve(line);
        };
        waiting.add(check);
        check();
      }),
  };
}

const standsBy = ({ event }: Line) => event === "stands by";
const leads = ({ event }: Line) => event === "leads";
const wrote = (name: string) => (line: Line) => line.event === "wrote" && line.name === name;

async function make(name: string): Promise<void> {
  const made = await api.call("POST", path, { metadata: { name, labels: { work: "yes" } } });
  expect(made.status).toBe(201);
}

async function clear(world: TestNamespace): Promise<void> {
  await world.api.call("DELETE", path);
  await world.api.call("DELETE", leasePath);
}

async function writerOf(name: string): Promise<unknown> {
  const { body } = await api.call("GET", `${path}/${name}`);
  return z.object({ data: z.record(z.string(), z.string()) }).parse(body).data.writer;
}

async function leaseTimes(): Promise<{ acquireTime: number; renewTime: number }> {
  const time = z.string().transform((text) => Date.parse(text));
  const { body } = await api.call("GET", leasePath);
  return z.object({ spec: z.object({ acquireTime: time, renewTime: time }) }).parse(body).spec;
}

describe("when the leader", () => {
  test("is killed, another replica leads once the lease has run out, not before, and does the work", async () => {
    onTestFinished(() => clear({ api, namespace }));
    const a = start("a");
    await a.when(leads);
    const b = start("b");
    await make("before");
    await a.when(wrote("before"));
    await b.when(standsBy);
    a.kill("SIGKILL");
    await a.exit;
    const { renewTime } = await leaseTimes();
    await make("after");
    await b.when(leads);
    // The standby counts from when it saw the last renewal, which is later than the renewal itself.
    expect((await leaseTimes()).acquireTime - renewTime).toBeGreaterThanOrEqual(leaseMs);
    await b.when(wrote("after"));
    expect(await writerOf("after")).toBe("b");
  });

  test("ends when asked to, another leads without waiting for the lease", async () => {
    onTestFinished(() => clear({ api, namespace }));
    // Longer than the test may take.
    const lease = ["--leaseMs", "600000"];
    const a = start("a", ...lease);
    await a.when(leads);
    const b = start("b", ...lease);
    await b.when(standsBy);
    a.kill("SIGTERM");
    await b.when(leads);
    expect(await a.exit).toEqual([0, null]);
    expect(a.said.at(-1)).toEqual({ event: "ended" });
  });

  test("is stopped and wakes when another leads, it starts no reconcile, and its late write is refused", async () => {
    onTestFinished(() => clear({ api, namespace }));
    await make("held");
    await make("tick");
    const a = start("a", "--hold");
    await a.when(({ event, name }) => event === "holds" && name === "held");
    const ticks = () => a.said.filter(({ key }) => key === `${namespace}/tick`).length;
    await expect.poll(ticks).toBeGreaterThan(10);
    const b = start("b");
    a.kill("SIGSTOP");
    await b.when(leads);
    await b.when(wrote("held"));
    const before = a.said.length;
    a.tell();
    a.kill("SIGCONT");
    await a.when(({ event }) => event === "refused", before);
    expect(await a.exit).toEqual([3, null]);
    expect(a.said.slice(before)).toEqual([{ event: "refused", name: "held", status: 409 }, { event: "lost" }]);
    expect(await writerOf("held")).toBe("b");
  });
});
