import { afterAll, beforeAll, expect, test } from "vitest";
import { installationKey, leaseName, Plug, readCoupledState } from "#coupling";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { testKubeconfig } from "#harness";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const namespace = `couple-${crypto.randomUUID().slice(0, 8)}`;
let client: KubeClient;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});
afterAll(async () => {
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
  await client.transport[Symbol.asyncDispose]();
});

const object = (kind: string, spec: object) => ({
  apiVersion: Plug.apiVersion,
  kind,
  metadata: { name: "it", namespace },
  spec,
});
const plugRef = { apiVersion: Plug.apiVersion, kind: "Plug", namespace, name: "it" };
const signal = new AbortController().signal;

test("`tenon run --only couple` installs the CRDs, takes the lease, couples, and shuts down", async () => {
  const ending = new AbortController();
  const shell = new FakeShell({ signal: ending.signal, env: { WATCH_NAMESPACE: namespace } });
  const words = ["run", "--only", "couple", "--install-crds", "--port", "0", "--tenon-namespace", namespace];
  const running = runCommandLine([...words, "--kubeconfig", testKubeconfig()], shell);
  await client.discovery.whenServed({ apiVersion: Plug.apiVersion, kind: "Plug" }, signal);
  await client.discovery.whenServed({ apiVersion: Plug.apiVersion, kind: "Socket" }, signal);
  await client.create(object("Socket", {}));
  await client.create(object("Plug", { socket: { name: "it" } }));
  await expect.poll(async () => readCoupledState(await client.get(plugRef)).isCoupled).toBe(true);
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace, name: leaseName };
  expect(await client.get(lease)).toMatchObject({ spec: { holderIdentity: expect.stringMatching(/./) } });
  await client.delete(plugRef);
  await expect.poll(() => client.find(plugRef)).toBeUndefined();
  await client.delete({ ...plugRef, kind: "Socket" });
  await expect.poll(() => client.find({ ...plugRef, kind: "Socket" })).toBeUndefined();
  ending.abort(new Error("enough"));
  await running;
  expect(shell.stderr.text).toContain("released the lease");
});

test("concurrent starts create one installation key", async () => {
  const keys = await Promise.all([1, 2, 3].map(() => installationKey(client, namespace, signal)));
  const again = await installationKey(client, namespace, signal);
  expect(again).toHaveLength(32);
  for (const key of keys) expect(key).toEqual(again);
});

test("a damaged installation key is an error that says what to delete", async () => {
  const name = "tenon-installation";
  await client.delete({ apiVersion: "v1", kind: "Secret", namespace, name });
  await client.create({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, data: {} });
  await expect(installationKey(client, namespace, signal)).rejects.toThrow(/expected fingerprint-key .*delete it/);
});
