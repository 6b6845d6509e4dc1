import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import * as http from "node:http";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Secret } from "#base";
import { startHttpProxy, startTcpProxy } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { z } from "zod";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import type { ClusterAccess } from "../access/cluster-access.ts";
import { ConnectionError } from "./connection-error.ts";
import { fixedCredentials } from "../access/credentials.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { connect, type KubeRequest, type TransportOptions } from "./transport.ts";

const { api, namespace } = useNamespace();
const version: KubeRequest = { method: "GET", path: "/version" };
const whoAmI: KubeRequest = {
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
};
const Address = z.object({ port: z.number() });
const Token = z.object({ status: z.object({ token: z.string() }) });

let folder: string;
let access: ClusterAccess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-connections-"));
  access = await loadAccess({ kubeconfig: testKubeconfig(), env: {} });
});
afterAll(() => rm(folder, { recursive: true }));

async function send(changed: ClusterAccess, request = version, options: TransportOptions = {}): Promise<string> {
  await using transport = connect(changed, { random: () => 0, ...options });
  return (await transport.send(request)).body;
}

async function selfSigned(commonName: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", `/CN=${commonName}`, "-addext", `subjectAltName=DNS:${commonName}`];
  const files = ["-keyout", key, "-out", cert];
  await promisify(execFile)("openssl", ["req", "-x509", "-days", "2", ...algorithm, ...names, ...files]);
  return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
}

test("a token file that is replaced is used without a restart", async () => {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const tokens = new Map<string, string>();
  for (const name of ["one", "two"]) {
    await api.call("POST", accounts, { metadata: { name } });
    const { body } = await api.call("POST", `${accounts}/${name}/token`, { spec: {} });
    tokens.set(name, Token.parse(body).status.token);
  }
  const kubeconfig = join(folder, "rotating");
  await writeFile(join(folder, "token"), tokens.get("one") ?? "");
  const cluster = {
    server: access.server.href,
    "certificate-authority-data": Buffer.from(access.certificateAuthority ?? "").toString("base64"),
  };
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { tokenFile: "token" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    }),
  );
  const clock = new FakeClock();
  await using transport = connect(await loadAccess({ kubeconfig, env: {}, clock }));
  expect((await transport.send(whoAmI)).body).toContain(`system:serviceaccount:${namespace}:one`);
  await writeFile(join(folder, "token"), tokens.get("two") ?? "");
  await clock.advance(10_000);
  expect((await transport.send(whoAmI)).body).toContain(`system:serviceaccount:${namespace}:two`);
});

/** A proxy for tunnels, which wants these credentials when given some. */
async function startConnectProxy(credentials?: string) {
  const tunnels: string[] = [];
  const server = http.createServer().on("connect", (request, client, head) => {
    if (credentials !== undefined && request.headers["proxy-authorization"] !== credentials) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    tunnels.push(request.url ?? "");
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = dial(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = Address.parse(server.address());
  return { tunnels, host: `127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

/** Plain to the server, with its own certificate to us. */
async function startTlsProxy(tls: { key: string; cert: string }) {
  const { clientCertificate } = await access.credentials.current();
  const { certificate: cert = "", key } = clientCertificate ?? {};
  const upstream = { tls: { ca: access.certificateAuthority ?? "", cert, key: key?.reveal() ?? "" } };
  return startHttpProxy({ target: access.server, tls, upstream });
}

describe("a proxy", () => {
  test("tunnels calls and streams, over kept connections", async () => {
    using proxy = await startConnectProxy();
    await using transport = connect({ ...access, proxy: new Secret(`http://${proxy.host}`) });
    for (let call = 0; call < 20; call++) await transport.send(version);
    const namespaces: KubeRequest = { method: "GET", path: "/api/v1/namespaces", query: { watch: true } };
    for await (const _chunk of await transport.open(namespaces, new AbortController().signal)) break;
    expect(new Set(proxy.tunnels)).toEqual(new Set([access.server.host]));
    expect(proxy.tunnels.length).toBeLessThanOrEqual(3);
  });

  test("gets the credentials of its URL", async () => {
    using proxy = await startConnectProxy(`Basic ${Buffer.from("user:proxy-password").toString("base64")}`);
    await send({ ...access, proxy: new Secret(`http://user:proxy-password@${proxy.host}`) });
    expect(proxy.tunnels).toHaveLength(1);
  });

  test("that refuses is named as what failed, without its password", async () => {
    using proxy = await startConnectProxy("Basic other");
    const refused = send({ ...access, proxy: new Secret(`http://user:proxy-password@${proxy.host}`) });
    await expect(refused).rejects.toMatchObject({ failure: "proxy", next: expect.stringContaining("proxy-url") });
    await expect(refused).rejects.not.toThrow(/proxy-password/);
  });
});

describe("TLS", () => {
  test("tls-server-name is the name that counts", async () => {
    const tls = await selfSigned("api.example");
    await using proxy = await startTlsProxy(tls);
    const changed = { ...access, server: proxy.url, certificateAuthority: tls.cert };
    await expect(send(changed)).rejects.toMatchObject({
      failure: "untrusted",
      message: expect.stringMatching(
        /has a certificate for other names: .*127\.0\.0\.1.*; use one of them .*tls-server-name/,
      ),
    });
    expect(await send({ ...changed, tlsServerName: "api.example" })).toContain("gitVersion");
  });

  test("a server of another CA is not trusted, and the CA is named, unless verification is skipped", async () => {
    const tls = await selfSigned("api.example");
    await using proxy = await startTlsProxy(tls);
    const changed = { ...access, server: proxy.url };
    await expect(send(changed)).rejects.toMatchObject({
      failure: "untrusted",
      wasSent: false,
      message: expect.stringMatching(
        /GET \/version on .*: the certificate of https:.* is not signed by the CA of the kubeconfig \(CN=.*\); put the CA/,
      ),
    });
    const { certificateAuthority: _unused, ...withoutAuthority } = changed;
    await expect(send(withoutAuthority)).rejects.toThrow(/is not signed by a CA that this machine trusts/);
    expect(await send({ ...withoutAuthority, skipsTlsVerification: true })).toContain("gitVersion");
  });

  test("https to a server of http says so", async () => {
    await using proxy = await startHttpProxy({ target: access.server });
    const server = new URL(`https://${proxy.url.host}`);
    await expect(send({ ...access, server })).rejects.toThrow(/does not speak TLS as expected/);
  });
});

describe("an unreachable server:", () => {
  test("refused, after a second and a third try", async () => {
    await using tcp = await startTcpProxy({ target: { host: "127.0.0.1", port: 1 } });
    tcp.refuse();
    const server = new URL(`https://127.0.0.1:${tcp.port}`);
    await expect(send({ ...access, server })).rejects.toMatchObject({
      name: "ConnectionError",
      failure: "refused",
      wasSent: false,
      message: expect.stringMatching(
        /^GET \/version on .*: the server https:.* refuses connections; is the cluster running\?/,
      ),
    });
  });

  test("a name that does not exist", async () => {
    const server = new URL("https://no-such-host.invalid:6443");
    await expect(send({ ...access, server })).rejects.toMatchObject({
      failure: "unknown-host",
      message: expect.stringContaining("the name no-such-host.invalid cannot be resolved; check `server`"),
    });
  });

  test("accepts, and says nothing", async () => {
    await using tcp = await startTcpProxy({
      target: { host: access.server.hostname, port: Number(access.server.port) },
    });
    tcp.silence();
    const server = new URL(`https://127.0.0.1:${tcp.port}`);
    await expect(send({ ...access, server }, version, { connectTimeoutMs: 300 })).rejects.toMatchObject({
      failure: "timeout",
      wasSent: false,
      message: expect.stringContaining("does not accept connections in time"),
    });
  });

  test("breaks each connection, so that a POST that was never sent is tried thrice", async () => {
    await using tcp = await startTcpProxy({
      target: { host: access.server.hostname, port: Number(access.server.port) },
    });
    tcp.reset("new");
    const server = new URL(`https://127.0.0.1:${tcp.port}`);
    await expect(send({ ...access, server }, whoAmI)).rejects.toMatchObject({ failure: "broken", wasSent: false });
    expect(tcp.counts.opened).toBe(3);
  });
});

test("a transport that was disposed of says so", async () => {
  const transport = connect(access);
  await transport[Symbol.asyncDispose]();
  await expect(transport.send(version)).rejects.toThrow(ConnectionError);
  await expect(transport.send(version)).rejects.toMatchObject({ failure: "closed" });
});

test("a failure shows no credentials", async () => {
  const token = new Secret("bearer-token-to-hide");
  const changed = { ...access, credentials: fixedCredentials({ token }), server: new URL("https://127.0.0.1:1") };
  await expect(send(changed)).rejects.not.toThrow(/bearer-token-to-hide/);
});
