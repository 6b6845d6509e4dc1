import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { testKubeconfig, useNamespace } from "#harness";
import { audience, inClusterVerifier } from "./in-cluster-verifier.ts";

const { api, namespace } = useNamespace();
const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
const Kubeconfig = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), "certificate-authority-data": z.string() }) }),
  ]),
});
let folder: string;
let env: NodeJS.ProcessEnv;

async function tokenOf(name: string, audiences: readonly string[]): Promise<string> {
  const { body } = await api.call("POST", `${accounts}/${name}/token`, { spec: { audiences } });
  return z.object({ status: z.object({ token: z.string() }) }).parse(body).status.token;
}

beforeAll(async () => {
  const { clusters } = Kubeconfig.parse(JSON.parse(await readFile(testKubeconfig(), "utf8")));
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const { hostname, port } = new URL(server);
  env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  for (const name of ["apparatus", "caller"]) await api.call("POST", accounts, { metadata: { name } });
  folder = await mkdtemp(join(tmpdir(), "tenon-apparatus-"));
  await writeFile(join(folder, "ca.crt"), Buffer.from(ca, "base64"));
  await writeFile(join(folder, "token"), await tokenOf("apparatus", []));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await api.call("DELETE", `${bindings}/${namespace}`);
});

test("there is no in-cluster verifier outside of a cluster", () => {
  expect(inClusterVerifier({})).toBeUndefined();
});

test("a pod without the right to create TokenReviews gets an error that names it", async () => {
  await expect(inClusterVerifier(env, folder)?.("token")).rejects.toThrow(/system:auth-delegator/);
});

test("the API server names the user of a token for our audience", async () => {
  await api.call("POST", bindings, {
    metadata: { name: namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:auth-delegator" },
    subjects: [{ kind: "ServiceAccount", name: "apparatus", namespace }],
  });
  const verify = inClusterVerifier(env, folder);
  const token = await tokenOf("caller", [audience]);
  await expect.poll(() => verify?.(token).catch(() => "not yet")).toBe(`system:serviceaccount:${namespace}:caller`);
  expect(await verify?.(await tokenOf("caller", []))).toBeUndefined();
  expect(await verify?.("forged")).toBeUndefined();
});
