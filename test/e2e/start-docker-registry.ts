import { spawn } from "node:child_process";
import { createPrivateKey, randomUUID, sign, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { hashSync } from "bcryptjs";
import { selfSigned } from "#faults";

/** Debian's docker-registry, which is distribution 2.8, with one user. */
export interface DockerRegistry extends AsyncDisposable {
  readonly host: string;
  readonly url: URL;
  /** What tokens were asked for; empty with Basic authentication. */
  readonly scopes: readonly (readonly string[])[];
}

export interface DockerRegistryOptions {
  readonly user: string;
  readonly password: string;
  readonly authentication: "basic" | "bearer";
}

const issuer = "tenon-test";
const service = "tenon-test-registry";

/** Starts it on a free port of loopback, with images in a temporary directory. */
export async function startDockerRegistry(options: DockerRegistryOptions): Promise<DockerRegistry> {
  const cleanup = new AsyncDisposableStack();
  try {
    const directory = await mkdtemp(join(tmpdir(), "tenon-docker-registry-"));
    cleanup.defer(() => rm(directory, { recursive: true }));
    const scopes: string[][] = [];
    const auth =
      options.authentication === "basic"
        ? await basicAuth(directory, options)
        : await bearerAuth(directory, options, scopes, cleanup);
    const config = {
      version: "0.1",
      log: { level: "info", accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(directory, "images") }, delete: { enabled: true } },
      http: { addr: "127.0.0.1:0" },
      auth,
    };
    const file = join(directory, "config.yml");
    await writeFile(file, JSON.stringify(config)); // JSON is YAML
    const child = spawn("docker-registry", ["serve", file], { stdio: ["ignore", "ignore", "pipe"] });
    const closed = once(child, "close");
    cleanup.defer(async () => {
      child.kill();
      await closed;
    });
    const host = await Promise.race([
      addressIn(createInterface(child.stderr)),
      closed.then(() => Promise.reject(new Error("docker-registry ended"))),
    ]);
    return {
      host,
      url: new URL(`http://${host}`),
      scopes,
      [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/** It logs the port that it got. */
async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, host] = /listening on (127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (host !== undefined) {
      void drain(lines);
      return host;
    }
  }
  throw new Error("docker-registry does not say where it listens");
}

async function drain(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}

async function basicAuth(directory: string, { user, password }: DockerRegistryOptions): Promise<object> {
  const path = join(directory, "htpasswd");
  await writeFile(path, `${user}:${hashSync(password, 4).replace(/^\$2b\$/, "$2y$")}\n`);
  return { htpasswd: { realm: "test", path } };
}

/** A token server: https://distribution.github.io/distribution/spec/auth/jwt/ */
async function bearerAuth(
  directory: string,
  { user, password }: DockerRegistryOptions,
  scopes: string[][],
  cleanup: AsyncDisposableStack,
): Promise<object> {
  const { key, cert } = await selfSigned(issuer);
  const rootcertbundle = join(directory, "cert.pem");
  await writeFile(rootcertbundle, cert);
  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.authorization !== basic) {
      response.writeHead(401).end();
      return;
    }
    const asked = new URL(request.url ?? "/", "http://localhost").searchParams.getAll("scope");
    scopes.push(asked);
    const access = asked.map((scope) => {
      const [, type, name, actions = ""] = /^(\w+):(.+):([\w,]+)$/.exec(scope) ?? [];
      return { type, name, actions: actions.split(",") };
    });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ token: signToken({ key, cert, user, access }), expires_in: 300 }));
  }

  const server = createServer(serve);
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanup.defer(async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { token: { realm: `http://127.0.0.1:${port}/token`, service, issuer, rootcertbundle } };
}

function signToken(grant: { key: string; cert: string; user: string; access: unknown }): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { typ: "JWT", alg: "ES256", x5c: [new X509Certificate(grant.cert).raw.toString("base64")] };
  const claims = {
    iss: issuer,
    sub: grant.user,
    aud: service,
    exp: now + 300,
    nbf: now - 30,
    iat: now,
    jti: randomUUID(),
    access: grant.access,
  };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const key = createPrivateKey(grant.key);
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}
