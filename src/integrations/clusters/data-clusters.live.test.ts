import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { never, testKubeconfig, useNamespace } from "#harness";
import { ClusterClients } from "#inventory";
import {
  ApiError,
  type ClusterAccess,
  connect,
  createClient,
  fixedCredentials,
  type KubeClient,
  loadAccess,
  requestToken,
  type Transport,
} from "#kube";
import { clusterSources } from "./data-clusters.ts";
import { ClusterPool } from "./cluster-pool.ts";
import { fileTokens, kubernetesTokens } from "./token-stores.ts";
import type { ClusterData } from "../data/integration.ts";

const { namespace } = useNamespace();
const kubeconfig = testKubeconfig();
let directory: string;
let access: ClusterAccess;
let transport: Transport;
let admin: KubeClient;
let cluster: ClusterData;

async function writeToken(token: string): Promise<void> {
  const folder = join(directory, "clusters", "c1");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "token"), token);
  await writeFile(join(folder, "server"), cluster.serverUrl);
  await writeFile(join(folder, "ca.crt"), access.certificateAuthority ?? "");
}

async function newToken(): Promise<string> {
  const { token } = await requestToken(admin, { namespace, name: "manager" }, {}, never);
  return token.reveal();
}

async function open(data: ClusterData): Promise<ClusterClients> {
  return await ClusterClients.connect(clusterSources([data], { tokens: fileTokens(directory) }), {}, never);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tenon-access-"));
  access = await loadAccess({ kubeconfig });
  transport = connect(access);
  admin = createClient(transport);
  await admin.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "manager" } });
  cluster = {
    name: "c1",
    serverUrl: access.server.href.replace(/\/$/, ""),
    disabledIntegrations: [],
    automationToken: { path: "clusters/c1", field: "token" },
    automationTokens: [],
    labels: {},
  };
});
afterAll(async () => {
  await transport[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe("a cluster as the data describes it", () => {
  test("is reached with the token of its reference", async () => {
    await writeToken(await newToken());
    await using clusters = await open(cluster);
    expect(clusters.unreachable).toEqual([]);
    expect((await clusters.get("c1")?.whoAmI())?.user).toBe(`system:serviceaccount:${namespace}:manager`);
  });

  test("a token that is replaced while we run is read again when the old one is rejected", async () => {
    const key = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "bound" } };
    const { metadata } = await admin.create(key);
    const boundTo = { apiVersion: "v1", kind: "Secret", name: "bound", uid: metadata.uid ?? "" } as const;
    const { token } = await requestToken(admin, { namespace, name: "manager" }, { boundTo }, never);
    await writeToken(token.reveal());
    await using clusters = await open(cluster);
    await admin.delete({ apiVersion: "v1", kind: "Secret", namespace, name: "bound" });
    await using old = connect({ ...access, credentials: fixedCredentials({ token }) });
    const isRejected = () =>
      createClient(old)
        .whoAmI()
        .then(
          () => false,
          (error: unknown) => error instanceof ApiError && error.isUnauthorized,
        );
    await expect.poll(isRejected, { interval: 500 }).toBe(true);
    await writeToken(await newToken());
    expect((await clusters.get("c1")?.whoAmI())?.user).toContain("manager");
  });

  test("D-22: an expired token is reported, with where to replace it", async () => {
    await writeToken("not-a-token-at-all");
    await using clusters = await open(cluster);
    const [unreachable] = clusters.unreachable;
    expect(unreachable?.what).toContain("cluster c1 rejects the token");
    expect(unreachable?.what).toContain("token of clusters/c1 in the directory");
    expect(unreachable?.what).not.toContain("not-a-token-at-all");
  });

  test("D-22: a cluster's certificate is checked unless the data disables that", async () => {
    await writeToken(await newToken());
    await rm(join(directory, "clusters", "c1", "ca.crt"));
    await using strict = await open(cluster);
    expect(strict.unreachable).toHaveLength(1);
    await using lenient = await open({ ...cluster, insecureSkipTlsVerify: true });
    expect(lenient.unreachable).toEqual([]);
  });

  test("tokens may be in Secrets of a cluster", async () => {
    const stringData = { token: await newToken(), "ca.crt": access.certificateAuthority ?? "" };
    await admin.create({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "clusters.c1" }, stringData });
    const sources = clusterSources([cluster], { tokens: kubernetesTokens(admin, namespace) });
    await using clusters = await ClusterClients.connect(sources, {}, never);
    expect(clusters.unreachable).toEqual([]);
  });
});

test("a context that the user names goes before the data, and a pool opens it once", async () => {
  await using pool = new ClusterPool({ everyCluster: { context: access.context }, kubeconfig });
  const data = [{ ...cluster, serverUrl: "https://nowhere.invalid" }];
  await using first = await ClusterClients.connect(pool.sources(data), {}, never);
  await first[Symbol.asyncDispose]();
  await using second = await ClusterClients.connect(pool.sources(data), {}, never);
  expect(second.get("c1")?.discovery).toBe(first.get("c1")?.discovery);
  expect((await second.get("c1")?.whoAmI())?.user).toBeDefined();
});
