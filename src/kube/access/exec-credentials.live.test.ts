import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { InputError } from "#base";
import { startHttpProxy } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { z } from "zod";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { loadAccess } from "./kubeconfig.ts";
import { connect, type KubeRequest, type Transport } from "../transport/transport.ts";

const { api, namespace } = useNamespace();
const apiVersion = "client.authentication.k8s.io/v1";
const Token = z.object({ status: z.object({ token: z.string() }) });
const Review = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

let folder: string;
let admin: ClusterAccess;
const clock = new FakeClock();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-exec-"));
  admin = await loadAccess({ kubeconfig: testKubeconfig(), env: {} });
  for (const name of ["one", "two"]) {
    await api.call("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  }
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => writeFile(join(folder, "runs"), ""));

/** A plugin that records each run and its input, and prints the given output. */
const plugin = `
const { appendFileSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
appendFileSync(join(process.argv[2], "runs"), process.env.KUBERNETES_EXEC_INFO + "\\n");
process.stdout.write(readFileSync(join(process.argv[2], "output")));
process.exit(Number(process.env.EXIT_CODE));
`;

async function runs(): Promise<string[]> {
  return (await readFile(join(folder, "runs"), "utf8")).split("\n").slice(0, -1);
}

async function pluginPrints(status: Record<string, unknown>): Promise<void> {
  await writeFile(join(folder, "output"), JSON.stringify({ apiVersion, kind: "ExecCredential", status }));
}

async function tokenOf(account: string): Promise<string> {
  const { body } = await api.call("POST", `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, {
    spec: {},
  });
  return Token.parse(body).status.token;
}

/** Access by the plugin, with these changes to its entry. */
async function loadWithPlugin(changes: Record<string, unknown> = {}): Promise<ClusterAccess> {
  await writeFile(join(folder, "plugin.cjs"), plugin);
  const config = {
    clusters: [
      {
        name: "c",
        cluster: {
          server: admin.server.href,
          "certificate-authority-data": Buffer.from(admin.certificateAuthority ?? "").toString("base64"),
          extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x", level: 1 } }],
        },
      },
    ],
    users: [
      {
        name: "u",
        user: {
          exec: {
            apiVersion,
            command: process.execPath,
            args: ["./plugin.cjs", folder].map((arg) => arg.replace("./", `${folder}/`)),
            env: [{ name: "EXIT_CODE", value: "0" }],
            interactiveMode: "Never",
            ...changes,
          },
        },
      },
    ],
    contexts: [{ name: "plugged", context: { cluster: "c", user: "u" } }],
    "current-context": "plugged",
  };
  const kubeconfig = join(folder, "config");
  await writeFile(kubeconfig, JSON.stringify(config));
  return loadAccess({ kubeconfig, env: { PATH: process.env["PATH"] }, clock });
}

const whoAmI: KubeRequest = {
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
};

async function userOf(transport: Transport): Promise<string> {
  const { body } = await transport.send(whoAmI);
  return Review.parse(JSON.parse(body)).status.userInfo.username;
}

test("the plugin runs once for all calls until its credential expires, and then once more", async () => {
  const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
  await pluginPrints({ token: await tokenOf("one"), expirationTimestamp });
  await using transport = connect(await loadWithPlugin());
  const users = await Promise.all(Array.from({ length: 50 }, () => userOf(transport)));
  expect(new Set(users)).toEqual(new Set([`system:serviceaccount:${namespace}:one`]));
  expect(await runs()).toHaveLength(1);

  await clock.advance(59_999);
  await userOf(transport);
  expect(await runs()).toHaveLength(1);

  await pluginPrints({ token: await tokenOf("two") });
  await clock.advance(1);
  const later = await Promise.all(Array.from({ length: 50 }, () => userOf(transport)));
  expect(new Set(later)).toEqual(new Set([`system:serviceaccount:${namespace}:two`]));
  expect(await runs()).toHaveLength(2);
});

test("a rejected token makes the plugin run again, once for all rejected calls", async () => {
  const [first, second] = [await tokenOf("one"), await tokenOf("two")];
  await using proxy = await startHttpProxy({
    target: admin.server,
    upstream: { tls: { ca: admin.certificateAuthority ?? "" } },
  });
  await pluginPrints({ token: first });
  const access = await loadWithPlugin();
  await using transport = connect({ ...access, server: proxy.url });
  await userOf(transport);
  proxy.answer({ match: ({ headers }) => headers.authorization === `Bearer ${first}`, status: 401 });
  await pluginPrints({ token: second });
  const users = await Promise.all(Array.from({ length: 20 }, () => userOf(transport)));
  expect(new Set(users)).toEqual(new Set([`system:serviceaccount:${namespace}:two`]));
  expect(await runs()).toHaveLength(2);
});

test("the plugin may return a client certificate, and is run again when that expires", async () => {
  const { clientCertificate } = await admin.credentials.current();
  await pluginPrints({
    clientCertificateData: clientCertificate?.certificate,
    clientKeyData: clientCertificate?.key.reveal(),
    expirationTimestamp: new Date(clock.now() + 1000).toISOString(),
  });
  const access = await loadWithPlugin();
  // The certificate is of today, which a clock that stands still does not know.
  await clock.advance(Date.now() - clock.now());
  await using transport = connect(access);
  const user = await userOf(transport);
  expect(user).not.toMatch(/anonymous|serviceaccount/);
  await clock.advance(60_000);
  expect(await userOf(transport)).toBe(user);
  expect(await runs()).toHaveLength(2);
});

test("the plugin gets cluster information only with provideClusterInfo", async () => {
  await pluginPrints({ token: await tokenOf("one") });
  await using quiet = connect(await loadWithPlugin());
  await userOf(quiet);
  await using informed = connect(await loadWithPlugin({ provideClusterInfo: true }));
  await userOf(informed);
  const [without, withCluster] = (await runs()).map((line) => JSON.parse(line));
  expect(without).toEqual({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  expect(withCluster.spec.cluster).toEqual({
    server: admin.server.href,
    "certificate-authority-data": Buffer.from(admin.certificateAuthority ?? "").toString("base64"),
    config: { audience: "x", level: 1 },
  });
});

async function failureOf(access: ClusterAccess): Promise<unknown> {
  await using transport = connect(access);
  return transport.send(whoAmI).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("the error for a plugin that is not installed says how to install it", async () => {
  const access = await loadWithPlugin({ command: "no-such-plugin", installHint: "Get it at https://example.com\n" });
  const error = await failureOf(access);
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toMatch(
    /config, context plugged: the credential plugin no-such-plugin is not installed; Get it at https:\/\/example.com$/,
  );
});

test("a plugin's path is relative to the kubeconfig", async () => {
  const error = await failureOf(await loadWithPlugin({ command: "./bin/none" }));
  expect(String(error)).toContain(`the credential plugin ${join(folder, "bin/none")} is not installed`);
});

test("a plugin failure is not an InputError, because it may succeed later", async () => {
  await pluginPrints({ token: "never-printed-token" });
  const access = await loadWithPlugin({ env: [{ name: "EXIT_CODE", value: "3" }] });
  const error = await failureOf(access);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ failure: "credentials", wasSent: false });
  expect(String(error)).toMatch(
    /context plugged: the credential plugin .* ended with exit code 3; see what it printed/,
  );
  await loadWithPlugin();
  await pluginPrints({ token: await tokenOf("one") });
  await using transport = connect(await loadWithPlugin());
  await userOf(transport);
});

const outputs = [
  { reason: "no JSON", output: "never-printed-token", says: /did not print an ExecCredential/ },
  {
    reason: "another kind",
    output: JSON.stringify({ apiVersion, kind: "never-printed-token", status: {} }),
    says: /look at kind/,
  },
  {
    reason: "another version",
    output: JSON.stringify({
      apiVersion: `${apiVersion}beta1`,
      kind: "ExecCredential",
      status: { token: "never-printed-token" },
    }),
    says: /of another version/,
  },
  {
    reason: "no credential",
    output: JSON.stringify({ apiVersion, kind: "ExecCredential", status: {} }),
    says: /neither a token nor a client certificate/,
  },
  {
    reason: "a key alone",
    output: JSON.stringify({
      apiVersion,
      kind: "ExecCredential",
      status: { token: "never-printed-token", clientKeyData: "never-printed-token" },
    }),
    says: /certificate or key alone/,
  },
  {
    reason: "a wrong time",
    output: JSON.stringify({
      apiVersion,
      kind: "ExecCredential",
      status: { token: "never-printed-token", expirationTimestamp: "soon" },
    }),
    says: /look at status.expirationTimestamp/,
  },
];

test.each(outputs)("a plugin that prints $reason is refused without showing it", async ({ output, says }) => {
  await writeFile(join(folder, "output"), output);
  const error = await failureOf(await loadWithPlugin());
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toMatch(says);
  expect(inspect(error, { depth: 10 })).not.toContain("never-printed-token");
});
