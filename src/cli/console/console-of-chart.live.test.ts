import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { packageFile, silentLogger, systemClock, valueAt } from "#base";
import { accountUser, testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, loadAccess, requestToken, reviewAccess } from "#kube";
import { serveConsole } from "#server";
import { loadChart, renderChart } from "#template";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { integrationFile, sampleDataFiles } from "../../server/console/console-data.fixture.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { openConsoleData } from "./open-console-data.ts";

const { namespace } = useNamespace();
const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** The token of an account that may do everything, and so see the data. */
async function adminToken(kubeconfig: string): Promise<string> {
  const client = createClient(opened.use(connect(await loadAccess({ kubeconfig }))));
  const account = { name: "admin", namespace };
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  const apiGroup = "rbac.authorization.k8s.io";
  const binding = { apiVersion: `${apiGroup}/v1`, kind: "ClusterRoleBinding", name: `admin-${namespace}` };
  await client.create({
    apiVersion: binding.apiVersion,
    kind: binding.kind,
    metadata: { name: binding.name },
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", ...account }],
  });
  opened.defer(async () => {
    await client.delete(binding);
  });
  const question = { verb: "get", path: "/tenon.dev/data" };
  const user = accountUser(account);
  await vi.waitUntil(async () => (await reviewAccess(client, { user }, question)).isAllowed, { timeout: 300_000 });
  return (await requestToken(client, account, {}, AbortSignal.timeout(300_000))).token.reveal();
}

test("the settings that the chart gives the pod of the console show the manager's data from git, and plan it", async () => {
  const kubeconfig = testKubeconfig();
  const access = await loadAccess({ kubeconfig });
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), "tenon-console-")));
  const repository = opened.use(await sampleRepository());
  const commit = await repository.commit({
    ...sampleDataFiles([namespace]),
    "data/integrations/feed.yml": integrationFile("feed", namespace),
  });
  const values = {
    jobs: { couple: false, manage: true },
    manage: {
      config: {
        data: `file://${repository.path}#main`,
        clusters: { c1: { context: access.context } },
        tokenStore: "vault:",
      },
    },
    console: { enabled: true, data: true, config: { kubeconfig } },
  };
  const { manifests } = renderChart(loadChart(packageFile("charts", "tenon")), {
    values,
    release: { name: "tenon", namespace },
  });
  const config = manifests.find(({ object }) => valueAt(object, ["metadata", "name"]) === "tenon-console-config");
  const file = join(folder.path, "tenon.yaml");
  await writeFile(file, String(valueAt(config?.object, ["data", "tenon.yaml"])));
  const shell = new FakeShell({ env: { ...process.env, POD_NAMESPACE: namespace, XDG_CACHE_HOME: folder.path } });
  const none = { integration: [], cluster: [], imageTagFromRef: [], clusterContext: [] };
  const data = await openConsoleData(none, await readTenonConfig(file), access, shell);
  if (!data) throw new Error("the settings name no data");
  opened.use(data);
  const server = opened.use(
    await serveConsole({
      access,
      host: "127.0.0.1",
      port: 0,
      isReadOnly: true,
      data: data.data,
      clock: systemClock,
      log: silentLogger,
    }),
  );
  const json = { origin: server.origin, "content-type": "application/json" };
  const login = await fetch(`${server.origin}/api/session`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ token: await adminToken(kubeconfig) }),
  });
  const cookie = (login.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const read = async (path: string) => await (await fetch(`${server.origin}${path}`, { headers: { cookie } })).json();
  expect(await read("/api/data?search=feed.yml")).toEqual(expect.objectContaining({ commit, total: 1 }));
  expect(await read("/api/plan")).toEqual(
    expect.objectContaining({
      commit,
      errors: [],
      whyNot: "this console is read-only",
      actions: expect.arrayContaining([expect.objectContaining({ kind: "Deployment", name: "feed", namespace })]),
    }),
  );
});
