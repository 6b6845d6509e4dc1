import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { Secret } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { z } from "zod";
import { ApiError } from "./api-error.ts";
import { fixedCredentials } from "../access/credentials.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { connect, type KubeRequest, type Transport } from "./transport.ts";

const { api, namespace } = useNamespace();
const Token = z.object({ status: z.object({ token: z.string() }) });
const Manifest = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });

/** A service account that may do nothing, and calls as it. */
async function connectWithoutRights(name: string): Promise<Transport> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await api.call("POST", accounts, { metadata: { name } });
  const { body } = await api.call("POST", `${accounts}/${name}/token`, { spec: {} });
  const access = await loadAccess({ kubeconfig: testKubeconfig(), env: {} });
  const token = new Secret(Token.parse(body).status.token);
  return connect({ ...access, credentials: fixedCredentials({ token }) });
}

async function refusalOf(transport: Transport, request: KubeRequest): Promise<ApiError> {
  const error: unknown = await transport.send(request).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`not refused by the server: ${String(error)}`);
  return error;
}

const collections: Readonly<Record<string, string>> = {
  Role: `namespaces/${namespace}/roles`,
  RoleBinding: `namespaces/${namespace}/rolebindings`,
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
};

/** What `kubectl apply -f -` does with the manifests that a message printed; undone at the end. */
async function applyFrom(message: string): Promise<AsyncDisposable> {
  const made: string[] = [];
  for (const manifest of loadAll(message.slice(message.indexOf("\n\n")))) {
    const { kind, metadata } = Manifest.parse(manifest);
    const collection = `/apis/rbac.authorization.k8s.io/v1/${collections[kind]}`;
    expect(await api.call("POST", collection, manifest)).toMatchObject({ status: 201 });
    made.push(`${collection}/${encodeURIComponent(metadata.name)}`);
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const path of made) await api.call("DELETE", path);
    },
  };
}

const requests: { reason: string; account: string; request: KubeRequest; says: RegExp }[] = [
  {
    reason: "a list in a namespace",
    account: "lister",
    request: { method: "GET", path: `/api/v1/namespaces/${namespace}/configmaps` },
    says: /User "system:serviceaccount:.*:lister" cannot list resource "configmaps" in API group "" in the namespace/,
  },
  {
    reason: "server-side apply of something new",
    account: "applier",
    request: {
      method: "PATCH",
      path: `/apis/apps/v1/namespaces/${namespace}/deployments/new`,
      query: { fieldManager: "test", dryRun: "All" },
      contentType: "application/apply-patch+yaml",
      body: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "new" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      },
    },
    says: /cannot patch resource "deployments" in API group "apps" in the namespace/,
  },
  {
    reason: "a list of the whole cluster",
    account: "surveyor",
    request: { method: "GET", path: "/api/v1/nodes" },
    says: /cannot list resource "nodes" in API group "" at the cluster scope/,
  },
  {
    reason: "a path of no resource",
    account: "scraper",
    request: { method: "GET", path: "/metrics" },
    says: /cannot get path "\/metrics"/,
  },
];

test.each(requests)("applying what the message prints allows $reason", async ({ account, request, says }) => {
  await using transport = await connectWithoutRights(account);
  const error = await refusalOf(transport, request);
  expect(error).toMatchObject({ isForbidden: true, reason: "Forbidden" });
  expect(error.message).toMatch(says);
  await using _rights = await applyFrom(error.message);
  await expect
    .poll(() => transport.send(request).then(({ status }) => status, String))
    .toSatisfy((status) => status === 200 || status === 201);
});
