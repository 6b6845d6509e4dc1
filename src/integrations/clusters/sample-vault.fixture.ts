import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, listenOn } from "#base";

/** What a test's Vault holds. */
export interface SampleVaultOptions {
  /** By path, its mount first: of version 1 the fields, of version 2 a list of versions. */
  readonly kv1?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly kv2?: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
  readonly namespace?: string;
}

export interface SampleVault extends AsyncDisposable {
  readonly address: string;
  /** All requests so far, like `GET sys/internal/ui/mounts/kv/a`. */
  readonly requests: string[];
  /** Makes all tokens invalid that were given out by a login. */
  expire(): void;
  /** The next answers, before any other. */
  readonly failures: { readonly status: number; readonly errors: readonly string[] }[];
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const denied: Reply = { status: 403, body: { errors: ["permission denied"] } };
const absent: Reply = { status: 404, body: { errors: [] } };

/**
 * As much of Vault's documented HTTP API as we call, for tests; the token is `root-token`, the AppRole `role` with `secret-id`.
 * https://developer.hashicorp.com/vault/api-docs/secret/kv
 */
export async function startSampleVault({ kv1 = {}, kv2 = {}, namespace }: SampleVaultOptions): Promise<SampleVault> {
  const requests: string[] = [];
  const failures: { readonly status: number; readonly errors: readonly string[] }[] = [];
  let logins = 0;
  let valid = new Set(["root-token"]);

  function answer(request: IncomingMessage, path: string, query: URLSearchParams, body: string): Reply {
    const failure = failures.shift();
    if (failure) return { status: failure.status, body: { errors: failure.errors } };
    if (request.headers["x-vault-namespace"] !== namespace) return absent;
    if (path === "auth/approle/login") return logIn(body);
    if (!valid.has(String(request.headers["x-vault-token"]))) return denied;
    if (path.startsWith("sys/internal/ui/mounts/")) return mountOf(path.slice("sys/internal/ui/mounts/".length));
    return read(path, query);
  }

  function logIn(body: string): Reply {
    const { role_id: role, secret_id: secret }: Record<string, unknown> = JSON.parse(body);
    if (role !== "role" || secret !== "secret-id")
      return { status: 400, body: { errors: ["invalid role or secret ID"] } };
    const token = `login-token-${(logins += 1)}`;
    valid.add(token);
    return { status: 200, body: { auth: { client_token: token, lease_duration: 60 } } };
  }

  function mountOf(path: string): Reply {
    const [mount = ""] = path.split("/");
    const isSecond = Object.keys(kv2).some((each) => each.startsWith(`${mount}/`));
    const isFirst = Object.keys(kv1).some((each) => each.startsWith(`${mount}/`));
    if (!isFirst && !isSecond) return denied;
    return {
      status: 200,
      body: { data: { path: `${mount}/`, type: "kv", options: isSecond ? { version: "2" } : null } },
    };
  }

  function read(path: string, query: URLSearchParams): Reply {
    if (kv1[path]) return { status: 200, body: { data: kv1[path] } };
    const versions = kv2[path.replace("/data/", "/")];
    const version = Number(query.get("version") ?? versions?.length);
    const data = path.includes("/data/") ? versions?.[version - 1] : undefined;
    return data ? { status: 200, body: { data: { data, metadata: { version } } } } : absent;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://vault");
    const path = decodeURIComponent(pathname.replace(/^\/v1\//, ""));
    requests.push(`${request.method} ${path}`);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const reply = answer(request, path, searchParams, body);
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(JSON.stringify(reply.body));
  }

  const server = createServer((request, response) => void serve(request, response));
  const port = await listenOn(server, "127.0.0.1", 0);
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    failures,
    expire: () => {
      valid = new Set(["root-token"]);
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
