import { afterAll, expect, test, vi } from "vitest";
import { packageFile } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, isKubeObject, type KubeObject, loadAccess, refOf } from "#kube";
import { type PromotePart, promoteParts } from "#promotion";
import { loadChart, renderChart } from "#template";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
const client = createClient(transport);
const made: KubeObject[] = [];
const chart = loadChart(packageFile("charts", "tenon"));

afterAll(async () => {
  for (const object of made) await client.delete(refOf(object));
  await transport[Symbol.asyncDispose]();
});

/** What the chart installs for one part, under a name of its own. */
function objectsOf(part: PromotePart, name: string = part, more: object = {}): KubeObject[] {
  const values = {
    jobs: { couple: false, promote: true },
    promote: { parts: [part] },
    fullnameOverride: name,
    ...more,
  };
  const rendered = renderChart(chart, { values, release: { name, namespace } });
  return rendered.manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
}

async function checkRights(account: string, ...only: readonly string[]) {
  const shell = new FakeShell({ env: { NO_COLOR: "1" } });
  const user = `system:serviceaccount:${namespace}:${account}`;
  const words = ["doctor", "--rbac", "--only", ...only, "--tenon-namespace", namespace];
  const exitCode = await runCommandLine([...words, "--as", user, "--kubeconfig", testKubeconfig()], shell);
  return { exitCode, stdout: shell.stdout.text };
}

/** Installs the roles of an account, and returns what is printed once it lacks nothing. */
async function installRights(objects: readonly KubeObject[], account: string, ...only: readonly string[]) {
  // The roles of runs are shared by the whole cluster, and no part of what Tenon itself may do.
  const isOwn = ({ kind, metadata }: KubeObject) =>
    /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind) && metadata.name.startsWith(account);
  for (const object of objects.filter(isOwn)) {
    made.push(await client.apply(object, { fieldManager: "test", force: true }));
  }
  // The authorizer sees new roles some time after the server has stored them.
  const check = () => checkRights(account, ...only);
  await vi.waitUntil(async () => (await check()).exitCode === 0, { timeout: 300_000, interval: 250 });
  return (await check()).stdout;
}

const differing = /^(missing|not needed)/m;

test.for(promoteParts)(
  "P64: the chart installs the part %s alone with all rights it needs, and `tenon doctor --rbac` finds no others",
  async (part) => {
    expect(await installRights(objectsOf(part), part, "promote", "--promote", part)).not.toMatch(differing);
  },
);

test("the chart gives the resource driver all rights it needs, and `tenon doctor --rbac` finds no others", async () => {
  const objects = objectsOf("environments", "nodes", { dra: { enabled: true } });
  expect(await installRights(objects, "nodes-dra", "dra-driver")).not.toMatch(differing);
});

test("P64: propagation alone brings the kind Propagation, and neither kinds nor policies of Konflux", () => {
  const kinds = objectsOf("propagation").filter(({ kind }) => /^CustomResource|Policy/.test(kind));
  expect(kinds.map(({ metadata }) => metadata.name)).toEqual(["propagations.tenon.dev"]);
});
