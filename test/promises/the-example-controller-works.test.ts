import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { testKubeconfig, useNamespace } from "#harness";

const script = join(import.meta.dirname, "..", "..", "examples", "controller", "copy-config-maps.ts");
const { api, namespace: from } = useNamespace();
const to = `${from}-copies`;
const polling = { interval: 100 };

const ConfigMap = z.object({
  metadata: z.object({ finalizers: z.array(z.string()).default([]) }),
  data: z.record(z.string(), z.string()).default({}),
});
const Lease = z.object({ spec: z.object({ holderIdentity: z.string().default("") }) });
const LogLine = z.object({ port: z.number().optional() });

function pathOf(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps/${name}`;
}

async function make(namespace: string, name: string, data: Record<string, string>, labels = {}): Promise<void> {
  const made = await api.call("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
    metadata: { name, labels },
    data,
  });
  expect(made.status).toBe(201);
}

/** What the ConfigMap holds; undefined when it is absent. */
async function read(namespace: string, name: string): Promise<z.infer<typeof ConfigMap> | undefined> {
  const { status, body } = await api.call("GET", pathOf(namespace, name));
  return status === 404 ? undefined : ConfigMap.parse(body);
}

/** The example as its page says to start it; `port` is where it serves health. */
function startExample() {
  const env = { ...process.env, KUBECONFIG: testKubeconfig(), PORT: "0" };
  const child = spawn(process.execPath, [script, from, to], { env, stdio: ["ignore", "ignore", "pipe"] });
  const port = Promise.withResolvers<number>();
  const said: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    said.push(line);
    const { port: served } = line.startsWith("{") ? LogLine.parse(JSON.parse(line)) : {};
    if (served !== undefined) port.resolve(served);
  });
  const exit = once(child, "exit");
  return { child, exit, said, port: port.promise };
}

async function probe(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return `${answer.status} ${await answer.text()}`;
}

describe("the controller of docs/how-to/write-a-controller.md", () => {
  let example: ReturnType<typeof startExample>;

  beforeAll(async () => {
    const made = await api.call("POST", "/api/v1/namespaces", { metadata: { name: to } });
    if (made.status !== 201) throw new Error(`namespace ${to}: ${JSON.stringify(made.body)}`);
    example = startExample();
  });

  afterAll(async () => {
    if (example.child.exitCode === null) {
      example.child.kill("SIGKILL");
      await example.exit;
    }
    await api.call("DELETE", `/api/v1/namespaces/${to}`);
  });

  test("the controller copies marked ConfigMaps and no others", async () => {
    await make(from, "plain", { colour: "grey" });
    await make(from, "marked", { colour: "red" }, { "example.tenon.dev/copy": "yes" });
    await expect.poll(async () => (await read(to, "marked"))?.data, polling).toEqual({ colour: "red" });
    expect((await read(from, "marked"))?.metadata.finalizers).toEqual(["example.tenon.dev/copy"]);
    expect(await read(to, "plain")).toBeUndefined();
  });

  test("the controller restores a deleted copy", async () => {
    await api.call("DELETE", pathOf(to, "marked"));
    await expect.poll(async () => (await read(to, "marked"))?.data, polling).toEqual({ colour: "red" });
  });

  test("the controller leaves a ConfigMap that is not a copy alone, and allows the deletion of the original", async () => {
    await make(to, "taken", { colour: "foreign" });
    await make(from, "taken", { colour: "blue" }, { "example.tenon.dev/copy": "yes" });
    await expect.poll(() => example.said.join("\n"), polling).toContain("is not a copy of this controller");
    await api.call("DELETE", pathOf(from, "taken"));
    await expect.poll(() => read(from, "taken"), polling).toBeUndefined();
    expect((await read(to, "taken"))?.data).toEqual({ colour: "foreign" });
  });

  test("the controller deletes the copy before the original", async () => {
    await api.call("DELETE", pathOf(from, "marked"));
    await expect.poll(() => read(from, "marked"), polling).toBeUndefined();
    expect(await read(to, "marked")).toBeUndefined();
  });

  test("the controller serves health checks, its leadership and metrics", async () => {
    const port = await example.port;
    expect(await probe(port, "/healthz")).toMatch(/^200 ok\n/);
    expect(await probe(port, "/readyz")).toMatch(/^200 ok\n[^]*\[\+\] leader election: leader since /);
    expect(await probe(port, "/metrics")).toContain(
      'controller_runtime_reconcile_total{controller="copy-config-maps",result="success"}',
    );
  });

  test("the controller exits with 0 on SIGTERM and releases the lease", async () => {
    example.child.kill("SIGTERM");
    expect(await example.exit).toEqual([0, null]);
    const { body } = await api.call("GET", `/apis/coordination.k8s.io/v1/namespaces/${to}/leases/copy-config-maps`);
    expect(Lease.parse(body).spec.holderIdentity).toBe("");
  });
});
