import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "#base";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { loadAccess } from "./kubeconfig.ts";
import { sampleCertificate, sampleKey, sampleKubeconfig } from "./sample-kubeconfig.fixture.ts";

let home: string;
const clock = new FakeClock(Date.UTC(2030, 0, 1));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tenon-kubeconfig-"));
});
afterAll(() => rm(home, { recursive: true }));

async function write(name: string, content: string): Promise<string> {
  const file = join(home, name);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, content);
  return file;
}

/** The sample with one text replaced by another. */
function sampleWith(was: string | RegExp, is: string): string {
  const changed = sampleKubeconfig.replace(was, is);
  expect(changed).not.toBe(sampleKubeconfig);
  return changed;
}

async function refusal(content: string, context?: string): Promise<InputError> {
  const kubeconfig = await write("refused/config", content);
  const error: unknown = await loadAccess({ kubeconfig, context, env: {}, clock }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof InputError)) throw new Error(`not refused: ${inspect(error)}`);
  return error;
}

describe("a usable kubeconfig", () => {
  test("gives server, CA, namespace and certificate of the current context", async () => {
    const kubeconfig = await write("usable/config", sampleKubeconfig);
    const access = await loadAccess({ kubeconfig, env: {}, clock });
    expect(access).toMatchObject({
      context: "work",
      source: kubeconfig,
      namespace: "apps",
      certificateAuthority: sampleCertificate,
    });
    expect(access.server.href).toBe("https://10.0.0.1:6443/");
    expect(access.skipsTlsVerification).toBeUndefined();
    const { clientCertificate, token } = await access.credentials.current();
    expect([clientCertificate?.certificate, clientCertificate?.key.reveal(), token]).toEqual([
      sampleCertificate,
      sampleKey,
      undefined,
    ]);
  });

  test("gives another context by name, and skips verification only where it says so", async () => {
    const kubeconfig = await write("usable/config", sampleKubeconfig);
    const access = await loadAccess({ kubeconfig, context: "play", env: {}, clock });
    expect([access.context, access.namespace, access.skipsTlsVerification]).toEqual(["play", "default", true]);
    const { token } = await access.credentials.current();
    expect(token?.reveal()).toBe("sample-token-that-nobody-may-see");
  });

  test("may be JSON, and may have numbers where text is expected", async () => {
    const config = {
      clusters: [{ name: 1, cluster: { server: "https://c", "tls-server-name": "n", "disable-compression": true } }],
      users: [{ name: "u", user: { token: 123456, as: "a", "as-groups": ["g", "h"], "as-user-extra": { k: ["v"] } } }],
      contexts: [{ name: "c", context: { cluster: 1, user: "u" } }],
      "current-context": "c",
    };
    const kubeconfig = await write("usable/json", JSON.stringify(config, undefined, "\t"));
    const access = await loadAccess({ kubeconfig, env: {}, clock });
    expect(access).toMatchObject({
      tlsServerName: "n",
      isCompressionDisabled: true,
      impersonation: { user: "a", groups: ["g", "h"], extra: { k: ["v"] } },
    });
    const { token } = await access.credentials.current();
    expect(token?.reveal()).toBe("123456");
  });

  test("is found by --kubeconfig, else KUBECONFIG, else in the home folder", async () => {
    const inHome = await write(".kube/config", sampleKubeconfig);
    const listed = await write("listed", sampleKubeconfig);
    const given = await write("given", sampleKubeconfig);
    const sources = await Promise.all([
      loadAccess({ kubeconfig: given, env: { HOME: home, KUBECONFIG: listed }, clock }),
      loadAccess({ env: { HOME: home, KUBECONFIG: listed }, clock }),
      loadAccess({ env: { HOME: home, KUBECONFIG: "" }, clock }),
    ]);
    expect(sources.map(({ source }) => source)).toEqual([given, listed, inHome]);
  });

  test("may be several files, and missing ones are skipped; paths are relative to the file that contains them", async () => {
    await write("b/ca.crt", sampleCertificate);
    await write("b/token", "token-of-b\n");
    const first = await write(
      "a/config",
      "{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}]}",
    );
    const second = await write(
      "b/config",
      `{current-context: other, clusters: [{name: k, cluster: {server: "https://k", certificate-authority: ca.crt}}],
        users: [{name: u, user: {tokenFile: token}}], contexts: [{name: c, context: {cluster: none}}]}`,
    );
    const KUBECONFIG = [first, join(home, "missing"), second].join(delimiter);
    const access = await loadAccess({ env: { KUBECONFIG }, clock });
    expect(access).toMatchObject({ context: "c", source: second, certificateAuthority: sampleCertificate });
    const { token } = await access.credentials.current();
    expect(token?.reveal()).toBe("token-of-b");
  });

  test("sends nothing secret to a server without TLS", async () => {
    const kubeconfig = await write("usable/plain", sampleWith("https://two.example:6443", "http://two.example"));
    const access = await loadAccess({ kubeconfig, context: "play", env: {}, clock });
    expect(await access.credentials.current()).toEqual({});
  });

  test("shows no secret, however its access is printed", async () => {
    const kubeconfig = await write("usable/printed", sampleKubeconfig);
    const access = await loadAccess({ kubeconfig, env: {}, clock });
    const printed = inspect([access, await access.credentials.current()], { depth: 10 });
    expect(printed).not.toContain(sampleKey.split("\n")[1]);
  });

  test("uses the proxy of proxy-url, else the environment's", async () => {
    const withProxy = sampleWith(
      "server: https://10.0.0.1:6443",
      "server: https://10.0.0.1:6443\n    proxy-url: http://p:1",
    );
    const env = { HTTPS_PROXY: "http://u:secret-of-proxy@q:2" };
    const one = await loadAccess({ kubeconfig: await write("usable/proxy", withProxy), env, clock });
    const two = await loadAccess({ kubeconfig: await write("usable/none", sampleKubeconfig), env, clock });
    expect([one.proxy?.reveal(), two.proxy?.reveal()]).toEqual(["http://p:1/", "http://u:secret-of-proxy@q:2/"]);
    expect(inspect(two)).not.toContain("secret-of-proxy");
  });
});

function podEnv(): NodeJS.ProcessEnv {
  return { HOME: join(home, "nobody"), KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
}

describe("in a pod", () => {
  test("without a kubeconfig, the service account is used", async () => {
    const serviceAccountFolder = join(home, "sa");
    await write("sa/ca.crt", sampleCertificate);
    await write("sa/token", "token-of-pod");
    await write("sa/namespace", "apps");
    const access = await loadAccess({ env: podEnv(), clock, serviceAccountFolder });
    expect(access).toMatchObject({ context: "in-cluster", namespace: "apps", certificateAuthority: sampleCertificate });
    expect(access.server.href).toBe("https://[fd00::1]/");
    const { token } = await access.credentials.current();
    expect(token?.reveal()).toBe("token-of-pod");
  });

  test("a missing token file is named in the error", async () => {
    await write("empty-sa/ca.crt", sampleCertificate);
    await expect(loadAccess({ env: podEnv(), clock, serviceAccountFolder: join(home, "empty-sa") })).rejects.toThrow(
      /the pod's service account: the file of the token cannot be read: .*empty-sa\/token/,
    );
  });

  test("--context is refused", async () => {
    await expect(loadAccess({ context: "dev", env: podEnv(), clock })).rejects.toThrow(InputError);
  });
});

describe("a kubeconfig that does not exist is refused", () => {
  test("if --kubeconfig names it", async () => {
    await expect(loadAccess({ kubeconfig: join(home, "absent"), env: {}, clock })).rejects.toThrow(
      /absent: the kubeconfig does not exist; correct --kubeconfig$/,
    );
  });

  test("if no file of KUBECONFIG exists", async () => {
    const KUBECONFIG = [join(home, "no"), join(home, "nor")].join(delimiter);
    await expect(loadAccess({ env: { KUBECONFIG }, clock })).rejects.toThrow(
      /no, .*nor: none of these kubeconfigs exists; correct KUBECONFIG$/,
    );
  });

  test("if there is none in the home folder", async () => {
    await expect(loadAccess({ env: { HOME: join(home, "nobody") }, clock })).rejects.toThrow(
      /nobody\/.kube\/config: no kubeconfig found; name one with --kubeconfig/,
    );
  });

  test("if it is a folder", async () => {
    await expect(loadAccess({ kubeconfig: home, env: {}, clock })).rejects.toThrow(/cannot be read \(EISDIR\)/);
  });
});

const refused = [
  { reason: "empty", content: " \n", says: /config: the kubeconfig is empty; / },
  { reason: "comments only", content: "# nothing\n", says: /config: / },
  {
    reason: "malformed",
    content: "clusters:\n- name: a\n  cluster: {",
    says: /config:\d+:\d+: the kubeconfig is not valid YAML: /,
  },
  { reason: "an alias that may be a secret", content: "token: *abcdefgh", says: /config:1:8: .* unknown anchor; / },
  { reason: "two documents", content: "a: 1\n---\nb: 2\n", says: /not valid YAML/ },
  { reason: "a list", content: "[]", says: /not a kubeconfig: the file is not valid/ },
  {
    reason: "another kind",
    content: "kind: Pod\napiVersion: v1\n",
    says: /not a kubeconfig: its kind is Pod, not Config/,
  },
  { reason: "another version", content: "kind: Config\napiVersion: v2\n", says: /its apiVersion is v2, not v1/ },
  { reason: "some other YAML", content: "a: 1\n", says: /it has no clusters, users or contexts/ },
  {
    reason: "a field of another type",
    content: sampleWith("clusters:\n- name: one\n", "clusters:\n- nam: one\n"),
    says: /clusters\[0\]\.name is not valid/,
  },
  {
    reason: "one name twice",
    content: sampleWith("- name: two", "- name: one"),
    says: /clusters has two entries named "one"/,
  },
  { reason: "no contexts", content: "kind: Config\n", says: /has no contexts/ },
  {
    reason: "no current context",
    content: sampleWith("current-context: work\n", ""),
    says: /no current context; .*the contexts are: work, play, plugged/,
  },
  {
    reason: "an unknown current context",
    content: sampleWith("current-context: work", "current-context: wrok"),
    says: /current context "wrok" does not exist; did you mean work\?/,
  },
  {
    reason: "an unknown context",
    context: "prod",
    content: sampleKubeconfig,
    says: /config: the context "prod" does not exist; the contexts are: work, play, plugged/,
  },
  {
    reason: "an unknown cluster",
    content: sampleWith("cluster: one, user: certified", "cluster: onne, user: certified"),
    says: /context work: the cluster "onne" .* does not exist; did you mean one\?/,
  },
  {
    reason: "no cluster",
    content: sampleWith("cluster: one, user: certified", "user: certified"),
    says: /the context has no cluster/,
  },
  {
    reason: "an unknown user",
    content: sampleWith("user: certified", "user: nobody"),
    says: /the user "nobody" of this context does not exist/,
  },
  {
    reason: "no server",
    content: sampleWith("server: https://10.0.0.1:6443", "server: ''"),
    says: /context work: the cluster has no server/,
  },
  {
    reason: "a server without scheme",
    content: sampleWith("https://10.0.0.1:6443", "10.0.0.1:6443"),
    says: /is not an https URL/,
  },
  {
    reason: "a password in the server",
    content: sampleWith("https://10", "https://u:hidden-password@10"),
    says: /holds more than/,
  },
  {
    reason: "an unreadable CA",
    content: sampleWith(/certificate-authority-data: .*/, "certificate-authority: no/ca.crt"),
    says: /context work: the file of certificate-authority cannot be read: .*refused\/no\/ca.crt \(ENOENT\)/,
  },
  {
    reason: "a CA that is none",
    content: sampleWith(/certificate-authority-data: .*/, "certificate-authority-data: aGVsbG8="),
    says: /contains no certificate/,
  },
  {
    reason: "a CA that looks like one",
    content: sampleWith(
      /certificate-authority-data: .*/,
      `certificate-authority-data: ${Buffer.from("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----").toString("base64")}`,
    ),
    says: /is not a certificate/,
  },
  {
    reason: "bad base64",
    content: sampleWith(/client-key-data: .*/, "client-key-data: '*not base64*'"),
    says: /context work: client-key-data is not base64/,
  },
  {
    reason: "a certificate that is none",
    content: sampleWith(/client-certificate-data: .*/, "client-certificate-data: aGVsbG8="),
    says: /client certificate is not a valid certificate/,
  },
  {
    reason: "a key that is none",
    content: sampleWith(/client-key-data: .*/, "client-key-data: aGVsbG8="),
    says: /client key is not a valid private key/,
  },
  {
    reason: "a certificate without key",
    content: sampleWith(/client-key-data: .*/, ""),
    says: /client-key is missing; add `client-key-data`/,
  },
  {
    reason: "insecure with a CA",
    content: sampleWith(
      "server: https://10.0.0.1:6443",
      "server: https://10.0.0.1:6443\n    insecure-skip-tls-verify: true",
    ),
    says: /exclude each other/,
  },
  {
    reason: "socks",
    content: sampleWith("server: https://10.0.0.1:6443", "server: https://10.0.0.1:6443\n    proxy-url: socks5://h:1"),
    says: /kind socks5, which is not supported/,
  },
  {
    reason: "an auth provider",
    context: "play",
    content: sampleWith(/token: .*/, "auth-provider: {name: gcp}"),
    says: /context play: the auth provider "gcp" no longer exists.*; install gke-gcloud-auth-plugin/,
  },
  {
    reason: "an unknown auth provider",
    context: "play",
    content: sampleWith(/token: .*/, "auth-provider: {name: own}"),
    says: /"own" no longer exists.*; use an `exec`/,
  },
  {
    reason: "a password",
    context: "play",
    content: sampleWith(/token: .*/, "username: admin\n    password: hidden-password"),
    says: /no longer knows user names with passwords/,
  },
  {
    reason: "groups without user",
    context: "play",
    content: sampleWith(/token: .*/, "as-groups: [a]"),
    says: /need `as`/,
  },
  {
    reason: "an empty token file",
    context: "play",
    content: sampleWith(/token: .*/, "tokenFile: /dev/null"),
    says: /token file is empty: \/dev\/null/,
  },
  {
    reason: "an old plugin",
    context: "plugged",
    content: sampleWith("k8s.io/v1\n", "k8s.io/v1alpha1\n"),
    says: /speaks "client.authentication.k8s.io\/v1alpha1", which is not supported/,
  },
  {
    reason: "a plugin without command",
    context: "plugged",
    content: sampleWith("command: sample-plugin", ""),
    says: /has no command/,
  },
  {
    reason: "a plugin that must ask",
    context: "plugged",
    content: sampleWith("Mode: Never", "Mode: Always"),
    says: /there is no terminal/,
  },
  {
    reason: "a plugin of an unknown mode",
    context: "plugged",
    content: sampleWith("Mode: Never", "Mode: Sometimes"),
    says: /interactiveMode is "Sometimes"/,
  },
];

const { privateKey: foreignKey } = generateKeyPairSync("ec", {
  namedCurve: "prime256v1",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

describe("is refused, with file, context and next step:", () => {
  test.each(refused)("$reason", async ({ content, context, says }) => {
    const error = await refusal(content, context);
    expect(error.message).toMatch(says);
    expect(error.where).toContain(join(home, "refused/config"));
    expect(error.next).toMatch(/\w/);
    expect(error.message).not.toMatch(/hidden-password|sample-token|abcdefgh/);
  });

  test("a key of another certificate", async () => {
    const data = Buffer.from(foreignKey).toString("base64");
    const error = await refusal(sampleWith(/client-key-data: .*/, `client-key-data: ${data}`));
    expect(error.message).toMatch(/context work: the client certificate and the client key do not belong together/);
  });

  test("an expired client certificate, with the date", async () => {
    const kubeconfig = await write("refused/expired", sampleKubeconfig);
    const later = new FakeClock(Date.UTC(2127, 0, 1));
    await expect(loadAccess({ kubeconfig, env: {}, clock: later })).rejects.toThrow(
      /context work: the client certificate expired on 2126-10-22T21:33:40.000Z; log in again/,
    );
  });

  test("a client certificate that is not valid yet", async () => {
    const kubeconfig = await write("refused/early", sampleKubeconfig);
    const earlier = new FakeClock(Date.UTC(2020, 0, 1));
    await expect(loadAccess({ kubeconfig, env: {}, clock: earlier })).rejects.toThrow(/is valid from 2026-11-15/);
  });
});
