import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMetrics, packageFile, silentLogger, systemClock } from "#base";
import { testKubeconfig, useCoupling, useNamespace } from "#harness";
import {
  ApiError,
  connect,
  createClient,
  fixedCredentials,
  isKubeObject,
  type KubeObject,
  type KubeRequest,
  loadAccess,
  refOf,
  requestToken,
  type Transport,
} from "#kube";
import { Health } from "#runtime";
import { loadChart, renderChart } from "#template";
import { startCoupling } from "../couple/coupling-job.ts";
import { readCouplingSettings } from "../couple/coupling-settings.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useCoupling();
const { namespace } = useNamespace();
const account = { namespace, name: "tenon" };
const user = `system:serviceaccount:${namespace}:tenon`;
const ending = new AbortController();
const refused: string[] = [];
let connection: Transport | undefined;
let running = Promise.resolve();

/** The account of the chart and its roles, without what would run. */
const accountAndRoles = renderChart(loadChart(packageFile("charts", "tenon")), {
  values: {},
  release: { name: "tenon", namespace },
}).manifests.flatMap(({ object }) =>
  isKubeObject(object) && /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(object.kind) ? [object] : [],
);
const clusterRole = find("ClusterRole");

function find(kind: string): KubeObject {
  const found = accountAndRoles.find((object) => object.kind === kind);
  if (!found) throw new Error(`the chart has no ${kind}`);
  return found;
}

beforeAll(async () => {
  await world.stop();
  await world.apply(...accountAndRoles);
  const access = await loadAccess({ kubeconfig: testKubeconfig() });
  const { token } = await requestToken(world.client, account);
  connection = noting(connect({ ...access, credentials: fixedCredentials({ token }) }));
  const client = createClient(connection);
  // The server learns of rights some time after it has taken them down.
  while ((await doctor()).exitCode !== 0) await systemClock.sleep(200);
  running = startCoupling(
    {
      client,
      proxyClient: client,
      leaseClient: client,
      server: access.server,
      isInCluster: true,
      namespace,
      identity: "tenon",
      health: new Health(systemClock),
      clock: systemClock,
      random: Math.random,
      log: silentLogger,
      metrics: createMetrics(),
    },
    readCouplingSettings({}, {}),
    ending.signal,
  );
});

afterAll(async () => {
  ending.abort(new Error("the test is over"));
  await running.catch(() => {});
  await connection?.[Symbol.asyncDispose]();
  for (const object of accountAndRoles) await world.client.delete(refOf(object), {});
  // An operator must release the plugs.
  await world.restart();
});

/** Notes what Tenon itself is not allowed; what its tenants are not is their business. */
function noting(transport: Transport): Transport {
  return {
    cluster: transport.cluster,
    send: (request, signal) => transport.send(request, signal).catch((error) => note(request, error)),
    open: (request, signal) => transport.open(request, signal).catch((error) => note(request, error)),
    impersonate: (identity) => transport.impersonate(identity),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function note({ method, path }: KubeRequest, error: unknown): never {
  if (error instanceof ApiError && error.isForbidden) refused.push(`${method} ${path}`);
  throw error;
}

function configMap(text: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" }, data: { text } };
}

async function doctor(
  shell = new FakeShell(),
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  const words = ["doctor", "--rbac", "--only", "couple", "--tenon-namespace", namespace, "--as", user];
  const exitCode = await runCommandLine([...words, "--kubeconfig", testKubeconfig()], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("an operator with the rights of the chart and no others", () => {
  test("an operator with the rights of the chart couples, updates, keeps results, decouples and deletes", async () => {
    const socket = { name: "database", namespace: world.prov };
    const plugSpec = (text: string) => ({
      socket,
      config: { text },
      resources: [
        { template: configMap(text) },
        { when: ["decoupled"], template: configMap("{% .plugConfig.text %}") },
      ],
    });
    await world.apply(
      world.socket("database", { result: { host: "db" }, deletionPolicy: "DeletePlugs" }),
      world.plug("app", plugSpec("one")),
    );
    await world.waitUntilCoupled("app");
    await world.apply(world.plug("app", plugSpec("two")));
    await world.waitUntilCoupled("app");
    expect(await world.dataOf("made", world.app)).toEqual({ text: "two" });
    const result = await world.client.find(world.ref("Secret", "app-integration-result", world.app));
    expect(result?.["data"]).toMatchObject({ host: Buffer.from("db").toString("base64") });
    await expect.poll(() => world.events("Plug", "app")).not.toEqual([]);
    await world.client.delete(world.ref("Socket", "database"), {});
    await world.waitUntilDeleted(world.ref("Socket", "database"));
    await world.waitUntilDeleted(world.ref("Plug", "app"));
    expect(refused).toEqual([]);
  });

  test("an operator with the rights of the chart resolves the Service of an endpoint", async () => {
    const metadata = { name: "headless", namespace: world.app };
    const spec = { clusterIP: "None", ports: [{ port: 80 }], selector: { app: "nobody" } };
    await world.client.create({ apiVersion: "v1", kind: "Service", metadata, spec });
    const endpoint = `http://headless.${world.app}.svc`;
    await world.apply(world.plug("asks", { apparatus: { endpoint, containers: [] } }));
    const answer = `Service ${world.app}/headless has no ready pod`;
    await world.waitFor(world.ref("Plug", "asks"), (plug) => JSON.stringify(plug ?? {}).includes(answer));
    expect(refused).toEqual([]);
  });

  test("an operator with the rights of the chart may create tokens of its own account, and of no other", async () => {
    const robot = world.client.impersonate({ user });
    const audiences = ["integration-operator"];
    await expect(requestToken(robot, account, { audiences })).resolves.toBeDefined();
    await expect(requestToken(robot, { namespace, name: "default" }, { audiences })).rejects.toMatchObject({
      isForbidden: true,
    });
  });
});

describe("tenon doctor --rbac", () => {
  test("`tenon doctor --rbac` fits a terminal of 80 columns", async () => {
    const { stdout } = await doctor(new FakeShell({ columns: 80 }));
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("`tenon doctor --rbac` finds that the chart grants all rights that are needed, and no others", async () => {
    const { exitCode, stdout } = await doctor();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ok +impersonate +serviceaccounts +cluster$/m);
    expect(stdout).toMatch(/^ok +patch +plugs\.integration\.rock8s\.com\/status +cluster$/m);
    expect(stdout).not.toMatch(/^(missing|not needed)/m);
  });

  test("`tenon doctor --rbac` prints missing rights with the role to add, and rights that are not needed", async () => {
    const rules = clusterRole["rules"];
    if (!Array.isArray(rules)) throw new Error("the role has no rules");
    const surplus = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["create"] };
    await world.apply({
      ...clusterRole,
      rules: [...rules.filter((rule) => !JSON.stringify(rule).includes("impersonate")), surplus],
    });
    await expect.poll(async () => (await doctor()).exitCode).toBe(1);
    const { stdout, stderr } = await doctor();
    expect(stdout).toMatch(/^missing +impersonate +serviceaccounts +cluster$/m);
    expect(stdout).toMatch(
      /\nmissing serviceaccounts\n {2}impersonate in cluster: read and write as the service account/,
    );
    expect(stdout).toMatch(/^not needed +create +deployments\.apps /m);
    expect(stdout).toContain("kind: ClusterRoleBinding");
    expect(stdout).toMatch(/verbs:\n +- impersonate\n/);
    expect(stderr).toContain(`${user} lacks 1 of `);
    await world.apply(clusterRole);
  });
});
