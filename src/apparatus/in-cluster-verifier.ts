import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { Verifier } from "./caller-check.ts";

/** The audience of callers' tokens: a token that an apparatus receives is valid for nothing else. */
export const audience = "integration-operator";

const mounted = "/var/run/secrets/kubernetes.io/serviceaccount";
const timeoutMs = 10_000;

/**
 * Asks the API server whom a token belongs to, as the service account of this pod, which needs the ClusterRole `system:auth-delegator`.
 * Undefined outside of a cluster.
 */
export function inClusterVerifier(env: NodeJS.ProcessEnv = process.env, folder = mounted): Verifier | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  if (!host) return undefined;
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${port}/apis/authentication.k8s.io/v1/tokenreviews`;
  return async (token) => {
    // Read each time: the kubelet renews the token, and the certificates may be rotated.
    const [ca, own] = await Promise.all([readFile(join(folder, "ca.crt")), readFile(join(folder, "token"), "utf8")]);
    return nameIn(await review(url, ca, own.trim(), token));
  };
}

async function review(url: string, ca: Buffer, own: string, token: string): Promise<JsonObject> {
  // Later than the rest: only few pods ever need it at their start.
  const { Agent, request } = await import("undici");
  await using dispatcher = closing(new Agent({ connect: { ca, timeout: timeoutMs } }));
  const { statusCode, body } = await request(url, {
    dispatcher: dispatcher.agent,
    method: "POST",
    headers: { authorization: `Bearer ${own}`, "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token, audiences: [audience] },
    }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await body.text();
  if (statusCode === 403) {
    throw new Error(
      "the service account of this pod may not create TokenReviews; bind the ClusterRole system:auth-delegator to it by a ClusterRoleBinding",
    );
  }
  if (statusCode >= 300) throw new Error(`the API server answers ${statusCode} to a TokenReview`);
  const value: JsonValue = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

/** API servers without support for audiences accept a token without naming one. */
function nameIn({ status = null }: JsonObject): string | undefined {
  if (!isJsonObject(status) || status["authenticated"] !== true) return undefined;
  const { audiences = null, user = null } = status;
  if (!Array.isArray(audiences) || !audiences.includes(audience) || !isJsonObject(user)) return undefined;
  return typeof user["username"] === "string" ? user["username"] : undefined;
}

function closing<Closable extends { close(): Promise<void> }>(agent: Closable): AsyncDisposable & { agent: Closable } {
  return { agent, [Symbol.asyncDispose]: () => agent.close() };
}
