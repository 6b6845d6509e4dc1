import { expect, test } from "vitest";
import { ApiError, type KubeClient, type KubeObject, listOwnRules } from "#kube";
import { useEnvironments } from "../../src/promotion/environments/use-environments.fixture.ts";

const world = useEnvironments();
const { namespace } = world;

async function statusOf(answer: Promise<unknown>): Promise<number> {
  try {
    await answer;
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

function inNamespaces(...values: readonly string[]) {
  return {
    namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values }] },
  };
}

/** What Kubernetes lets every service account do. */
const everyone = new Set([
  "create authorization.k8s.io/selfsubjectaccessreviews",
  "create authorization.k8s.io/selfsubjectrulesreviews",
  "create authentication.k8s.io/selfsubjectreviews",
  // Public certificates.
  "get certificates.k8s.io/clustertrustbundles",
  "list certificates.k8s.io/clustertrustbundles",
  "watch certificates.k8s.io/clustertrustbundles",
]);

/** What the API server says the user may do in a namespace, or in the cluster, as `verb group/resource`. */
async function rightsIn(client: KubeClient, inNamespace: string): Promise<readonly string[]> {
  const { resourceRules, isIncomplete } = await listOwnRules(client, inNamespace);
  expect(isIncomplete).toBe(false);
  return resourceRules.flatMap(({ verbs, apiGroups, resources }) =>
    verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => `${verb} ${group}/${resource}`))),
  );
}

/** Two environments of a tenant, and a client for the first. */
async function makeTwo(className: string) {
  const names = ["inside", "beside"];
  for (const name of names) await world.createClaim(name, { className });
  const [own, other] = await Promise.all(
    names.map(async (name) => world.environmentOf(await world.untilPhase(name, "Ready"))),
  );
  return { own: own ?? "", other: other ?? "", inside: await world.clientOf("inside") };
}

test("P54: the account of an environment may do nothing outside it but ask about itself, and dies with its claim", async () => {
  const stop = await world.start();
  const { own, other, inside } = await makeTwo(await world.createClass("apart"));
  for (const foreign of [namespace, other, "kube-system", "default"]) {
    const rights = await rightsIn(inside, foreign);
    expect({ foreign, rights: rights.filter((right) => !everyone.has(right)) }).toEqual({ foreign, rights: [] });
  }
  expect(await rightsIn(inside, own)).toContain("create apps/deployments");
  await world.client.delete({ ...world.claims, name: "inside" });
  await world.untilPhase("inside", undefined);
  // The API server remembers for 10 s that a token was good.
  await expect.poll(() => statusOf(rightsIn(inside, own)), { timeout: 300_000 }).toBe(401);
  await stop();
});

test("what bounds an environment cannot be changed from inside, and no pod gets a token or a right of another account", async () => {
  const stop = await world.start();
  await world.createClaim("bounded", { className: world.className("apart") });
  const own = world.environmentOf(await world.untilPhase("bounded", "Ready"));
  const inside = await world.clientOf("bounded");
  const bound = { namespace: own, name: "tenon-environment" };
  const pod = (spec: object): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "probe", namespace: own },
    spec: { containers: [{ name: "probe", image: "registry.example/probe:1" }], ...spec },
  });
  const host = { volumes: [{ name: "host", hostPath: { path: "/" } }] };
  const foreignBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "mine", namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "tenon-environment" },
    subjects: [{ kind: "ServiceAccount", ...bound }],
  };
  const refused = [
    inside.create(pod({ hostNetwork: true })),
    inside.create(pod({ hostPID: true })),
    inside.create(pod(host)),
    inside.create(foreignBinding),
    inside.create({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "open", namespace: own },
      spec: { podSelector: {} },
    }),
    inside.delete({ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", ...bound }),
    inside.delete({ apiVersion: "v1", kind: "ResourceQuota", ...bound }),
    inside.create({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "elsewhere", namespace: own } }),
    inside.create({
      apiVersion: world.claims.apiVersion,
      kind: world.claims.kind,
      metadata: { name: "more", namespace: own },
      spec: { className: world.className("apart") },
    }),
  ];
  expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 403));
  await stop();
});

test("nothing in an environment gets what others send elsewhere, or drives their pods away", async () => {
  const stop = await world.start();
  await world.createClaim("polite", { className: world.className("apart") });
  const own = world.environmentOf(await world.untilPhase("polite", "Ready"));
  const inside = await world.clientOf("polite");
  const create = (kind: string, spec: object) =>
    inside.create({ apiVersion: "v1", kind, metadata: { name: "probe", namespace: own }, spec }, { dryRun: true });
  const ports = [{ port: 443 }];
  // Its own account is there already; that of Kubernetes may not be.
  const pod = {
    serviceAccountName: "tenon-environment",
    containers: [{ name: "probe", image: "registry.example/probe:1" }],
  };
  const refused = async () => [
    await statusOf(create("Service", { ports, externalIPs: ["203.0.113.7"] })),
    await statusOf(create("Pod", { ...pod, priorityClassName: "system-node-critical" })),
  ];
  // The API server applies new policies after some seconds.
  await expect.poll(refused, { timeout: 300_000 }).toEqual([403, 403]);
  expect(await statusOf(create("Service", { ports }))).toBe(200);
  expect(await statusOf(create("Pod", pod))).toBe(200);
  await stop();
});

test("the network policy of an environment lets its pods reach each other and DNS, and only the tenant's pods reach them", async () => {
  const stop = await world.start();
  const own = world.environmentOf(await world.untilPhase("bounded", "Ready"));
  const ports = [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
    { protocol: "UDP", port: 5353 },
    { protocol: "TCP", port: 5353 },
  ];
  const { items } = await world.client.list({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    namespace: own,
  });
  expect(items.map(({ spec }) => spec)).toEqual([
    {
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ podSelector: {} }, inNamespaces(namespace)] }],
      egress: [{ to: [{ podSelector: {} }] }, { to: [inNamespaces("kube-system", "openshift-dns")], ports }],
    },
  ]);
  await stop();
});
