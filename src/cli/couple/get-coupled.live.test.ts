import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { conditionOf, DeferredResource, Plug, readCoupledState } from "#coupling";
import { testKubeconfig, useCoupling } from "#harness";
import { type KubeObject, requestToken } from "#kube";
import { parseYamlDocuments } from "#yaml";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { textWidth } from "../terminal/text-width.ts";

const world = useCoupling();
const plugRef = (name: string) => ({ apiVersion: Plug.apiVersion, kind: "Plug", namespace: world.app, name });
const isCoupled = (object: KubeObject | undefined) => object !== undefined && readCoupledState(object).isCoupled;
const hasReason = (reason: string) => (object: KubeObject | undefined) =>
  object !== undefined && readCoupledState(object).reason === reason;
const secret = "correct-horse-battery";

function tenon(...words: string[]) {
  return tenonIn(new FakeShell(), ...words);
}

async function tenonIn(shell: FakeShell, ...words: string[]) {
  const exitCode = await runCommandLine([...words, "--kubeconfig", testKubeconfig()], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

beforeAll(async () => {
  const { prov } = world;
  await world.apply(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "credentials", namespace: prov },
      stringData: { password: secret, hostname: "overridden" },
    },
    world.socket("pg", {
      limit: 1,
      interface: {
        name: "postgres",
        config: { plug: { database: { required: true }, size: { default: "small" } } },
        result: { socket: { url: { sensitive: true }, zone: {} } },
      },
      configSecretName: "credentials",
      config: { hostname: "pg.example" },
      result: { zone: "north" },
      resultTemplate: { url: "postgres://admin:{% .socketConfig.password %}@{% .socketConfig.hostname %}" },
    }),
    world.plug("db", { socket: { name: "pg", namespace: prov }, config: { database: "shop", odd: "1" } }),
  );
  await world.waitFor(plugRef("db"), isCoupled);
  await world.apply(
    world.plug("late", { socket: { name: "pg", namespace: prov }, config: { database: "late" } }),
    world.plug("lost", { socket: { name: "nowhere", namespace: prov } }),
  );
  await world.waitFor(plugRef("late"), hasReason("LimitReached"));
  await world.waitFor(plugRef("lost"), hasReason("SocketNotCreated"));
});

describe("tenon get plugs", () => {
  test("`tenon get plugs` prints the state of each plug, what it waits for and what to do", async () => {
    const { exitCode, stdout } = await tenon("get", "plugs", "-n", world.app);
    expect(exitCode).toBe(0);
    const lines = stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "));
    expect(lines[0]).toBe("NAMESPACE | NAME | SOCKET | STATE | SINCE");
    const [db, late] = lines.slice(1);
    expect(db).toMatch(new RegExp(`^${world.app} \\| db \\| ${world.prov}/pg \\| Coupled \\| \\d+ \\w+$`));
    expect(late).toContain(`| late | ${world.prov}/pg | Waiting |`);
    const told = stdout.replaceAll(/\n {4}/g, " ");
    expect(told).toContain(
      `\n${world.app} late\n  a free slot on Socket ${world.prov}/pg\n  next: delete or move another plug`,
    );
    expect(told).toContain(`Socket ${world.prov}/nowhere\n  next: create the socket`);
  });

  test("`tenon get plugs` fits a terminal of 120 columns, with state and socket first and the rest wrapped below", async () => {
    const suspendReason = Array.from({ length: 40 }, (_, index) => `word-${index}`).join(" ");
    const ref = plugRef("the-database-of-the-parcels-department");
    onTestFinished(async () => {
      await world.client.delete(ref, {});
      await world.waitUntilDeleted(ref);
    });
    await world.apply(world.plug(ref.name, { suspend: true, suspendReason }));
    await world.waitFor(ref, hasReason("Suspended"));
    const shell = new FakeShell({ columns: 120, env: { NO_COLOR: "1" } });
    const { stdout } = await tenonIn(shell, "get", "plugs", "-n", world.app);
    const lines = stdout.split("\n");
    expect(lines.filter((line) => textWidth(line) > 120)).toEqual([]);
    expect(lines[0]?.split(/ {2,}/)).toEqual(["NAMESPACE", "NAME", "SOCKET", "STATE", "SINCE"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(suspendReason);
  });

  test("`tenon get plugs -o json` prints one plug by its name", async () => {
    const { stdout } = await tenon("get", "plugs", `${world.app}/late`, "-o", "json");
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ name: "late", state: "Waiting", reason: "LimitReached", since: expect.any(String) }),
    ]);
  });

  test("`tenon get plugs` of a missing plug fails and names the command that lists all", async () => {
    const { exitCode, stderr } = await tenon("get", "plugs", `${world.app}/none`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Plug ${world.app}/none not found`);
    expect(stderr).toContain("get plugs --all-namespaces");
  });
});

test("`tenon get sockets` prints the number of plugs and the limit", async () => {
  const { stdout } = await tenon("get", "sockets", "-n", world.prov);
  expect(stdout.replaceAll(/ {2,}/g, " | ")).toMatch(/\| pg \| 1\/1 \| Coupled \| \d+ s \| - \| -\n/);
  const all = await tenon("get", "sockets", "-A", "-o", "json");
  expect(JSON.parse(all.stdout)).toContainEqual(expect.objectContaining({ namespace: world.prov, plugs: 1, limit: 1 }));
});

test("`tenon graph -n` of a namespace without plugs and sockets fails, and names a similar one", async () => {
  const { exitCode, stderr } = await tenon("graph", "-n", `${world.app}x`);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`no plugs and no sockets in namespace ${world.app}x`);
  expect(stderr).toContain(`did you mean ${world.app}?`);
});

test("`tenon graph` prints sockets with their coupled and waiting plugs", async () => {
  const { stdout } = await tenon("graph", "-n", world.prov);
  expect(stdout).toBe(`${world.prov}/nowhere  does not exist
└── ${world.app}/lost  Waiting: Socket ${world.prov}/nowhere
${world.prov}/pg (postgres)  Coupled
├── ${world.app}/db  Coupled
└── ${world.app}/late  Waiting: a free slot on Socket ${world.prov}/pg
`);
  const { stdout: json } = await tenon("graph", "-n", world.app, "-o", "json");
  expect(JSON.parse(json).plugs).toHaveLength(3);
});

describe("tenon explain plug", () => {
  test("`tenon explain plug` prints each key, its source and overridden sources, and no secret", async () => {
    const { exitCode, stdout, stderr } = await tenon("explain", `plug/${world.app}/db`);
    expect(exitCode).toBe(0);
    const lines = stdout.split("\n").map((line) => line.trimEnd().replaceAll(/ {2,}/g, " | "));
    expect(lines.slice(0, -1)).toEqual([
      "MAP | KEY | VALUE | SOURCE | OVERRODE",
      "plugConfig | database | shop | config | -",
      "plugConfig | size | small | default | -",
      "plugConfig | odd | (dropped: not in the interface) | config | -",
      "socketConfig | hostname | pg.example | config | configSecretName credentials",
      "socketConfig | password | *** | configSecretName credentials | -",
      "socketResult | url | *** | resultTemplate | -",
      "socketResult | zone | north | result | -",
    ]);
    expect(stderr).toBe(`Plug ${world.app}/db on Socket ${world.prov}/pg: Coupled\n`);
    expect(stdout).not.toContain(secret);
  });

  test("`tenon explain plug` prints missing keys together with existing ones", async () => {
    await world.apply(world.plug("empty", { socket: { name: "pg", namespace: world.prov } }));
    const { exitCode, stdout, stderr } = await tenon("explain", `plug/${world.app}/empty`, "-o", "json");
    expect(exitCode).toBe(0);
    const { problems, maps } = JSON.parse(stdout);
    expect(problems).toEqual(["plug config property 'database' is required"]);
    expect(maps).toContainEqual(expect.objectContaining({ name: "plugConfig" }));
    expect(stdout + stderr).not.toContain(secret);
  });

  test("`tenon explain plug` of a plug without a socket fails", async () => {
    const { exitCode, stderr } = await tenon("explain", `plug/${world.app}/lost`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Socket ${world.prov}/nowhere not found, so no values are exchanged yet`);
  });

  test("`tenon explain plug` prints the Role that a service account lacks as YAML", async () => {
    const spec = {
      serviceAccountName: "nobody",
      configSecretName: "any",
      socket: { name: "pg", namespace: world.prov },
    };
    await world.apply(world.plug("blind", spec));
    const { exitCode, stdout } = await tenon("explain", `plug/${world.app}/blind`, "-o", "json");
    expect(exitCode).toBe(0);
    const { role, problems } = JSON.parse(stdout);
    expect(problems).toEqual([expect.stringMatching(/cannot get resource "secrets"/)]);
    expect(parseYamlDocuments(role).map(({ value }) => value)).toEqual([
      expect.objectContaining({ kind: "Role", rules: [expect.objectContaining({ verbs: ["get"] })] }),
      expect.objectContaining({ kind: "RoleBinding" }),
    ]);
  });

  test("`tenon explain plug` without the right to impersonate names the Role that is needed", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    const kubeconfig = join(directory.path, "kubeconfig");
    await writeFile(kubeconfig, await kubeconfigOfReader());
    const shell = new FakeShell();
    // The server takes a moment to apply new rights.
    const sees = (kind: string, namespace: string) =>
      runCommandLine(["get", kind, "-n", namespace, "--kubeconfig", kubeconfig], shell);
    await expect.poll(() => sees("plugs", world.app)).toBe(0);
    await expect.poll(() => sees("sockets", world.prov)).toBe(0);
    expect(await runCommandLine(["explain", `plug/${world.app}/db`, "--kubeconfig", kubeconfig], shell)).toBe(1);
    expect(shell.stderr.text).toContain(`you have no right to impersonate system:serviceaccount:${world.prov}:default`);
    expect(shell.stderr.text).toContain(
      `a Role in namespace ${world.prov} with the verb impersonate on serviceaccounts and resourceNames [default]`,
    );
    // The right to impersonate groups includes system:masters.
    expect(shell.stderr.text).not.toContain("groups");
    const rules = [
      { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: ["default"], verbs: ["impersonate"] },
    ];
    await grantReader("explain-plugs", rules);
    const explain = () => runCommandLine(["explain", `plug/${world.app}/db`, "--kubeconfig", kubeconfig], shell);
    await expect.poll(explain).toBe(0);
  });
});

/** For a user with the right to read plugs and sockets, and no other. */
async function kubeconfigOfReader(): Promise<string> {
  const { client, app } = world;
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: app } });
  await grantReader("reader", [
    { apiGroups: ["integration.rock8s.com"], resources: ["plugs", "sockets"], verbs: ["get", "list"] },
  ]);
  const { token } = await requestToken(client, { namespace: app, name: "reader" });
  const { clusters } = JSON.parse(await readFile(testKubeconfig(), "utf8"));
  const users = [{ name: "reader", user: { token: token.reveal() } }];
  const contexts = [{ name: "reader", context: { cluster: clusters[0].name, user: "reader" } }];
  return JSON.stringify({ clusters, users, contexts, "current-context": "reader" });
}

/** In both namespaces. */
async function grantReader(name: string, rules: readonly object[]): Promise<void> {
  const { client, app, prov } = world;
  const rbac = "rbac.authorization.k8s.io";
  for (const namespace of [app, prov]) {
    const metadata = { name, namespace };
    await client.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
    const subjects = [{ kind: "ServiceAccount", name: "reader", namespace: app }];
    const roleRef = { kind: "Role", name, apiGroup: rbac };
    await client.create({ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, subjects, roleRef });
  }
}

test("`tenon get deferredresources` prints what each creates, and what it waits for", async () => {
  const resource = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" } };
  const deferred = (name: string, spec: object) => {
    const metadata = { name, namespace: world.app };
    return { apiVersion: DeferredResource.apiVersion, kind: "DeferredResource", metadata, spec };
  };
  const waitFor = [{ apiVersion: "v1", kind: "Secret", name: "nowhere" }];
  await world.apply(deferred("ready", { resource }), deferred("waits", { resource, waitFor }));
  const until = (name: string, reason: string) =>
    world.waitFor(
      world.ref("DeferredResource", name, world.app),
      (object) => conditionOf(object, "Resolved")?.["reason"] === reason,
    );
  await until("ready", "Success");
  await until("waits", "Pending");
  const { exitCode, stdout } = await tenon("get", "deferredresources", "-n", world.app, "-o", "json");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ name: "ready", resource: "ConfigMap made", state: "Resolved" }),
    expect.objectContaining({ name: "waits", state: "Waiting", waitsFor: `waiting for Secret ${world.app}/nowhere` }),
  ]);
});
