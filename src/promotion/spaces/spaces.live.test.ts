import { afterAll, expect, test } from "vitest";
import { isRecord } from "#base";
import { grantRights, revokeRights } from "#harness";
import { ApiError, type KubeClient, type KubeObject } from "#kube";
import { PipelinePlayer } from "#tekton";
import { messageOf, useEnvironments } from "../environments/use-environments.fixture.ts";
import { SpaceBinding } from "../kinds/space-binding.ts";
import { SpaceRequest } from "../kinds/space-request.ts";
import { policyVersion } from "../policies/admission-policy.ts";
import { spaceBindingPolicy, spaceBindingPolicyName } from "../policies/space-binding-policy.ts";
import { claimRefOfSpace } from "./space-claim.ts";

const world = useEnvironments();
const { namespace } = world;
// Before the claims are, which would be made again.
afterAll(async () => {
  const { apiVersion, kind } = SpaceRequest;
  for (const { metadata } of (await world.client.list({ apiVersion, kind, namespace })).items) {
    await world.client.delete(refOfRequest(metadata.name));
  }
});

const foreground = { propagation: "Foreground" } as const;
const refOfRequest = (name: string) => ({
  apiVersion: SpaceRequest.apiVersion,
  kind: SpaceRequest.kind,
  namespace,
  name,
});
const refOfBinding = (name: string) => ({
  apiVersion: SpaceBinding.apiVersion,
  kind: SpaceBinding.kind,
  namespace,
  name,
});

function request(name: string, tierName: string, spec: object = {}, metadata: object = {}): Promise<KubeObject> {
  const { apiVersion, kind } = SpaceRequest;
  return world.client.create({
    apiVersion,
    kind,
    metadata: { name, namespace, ...metadata },
    spec: { tierName, ...spec },
  });
}

function bind(client: KubeClient, name: string, user: string, space: string, role: string): Promise<KubeObject> {
  const { apiVersion, kind } = SpaceBinding;
  const spec = { masterUserRecord: user, space, spaceRole: role };
  return client.create({ apiVersion, kind, metadata: { name, namespace }, spec });
}

function readyOf(object: KubeObject | undefined): Readonly<Record<string, unknown>> {
  const status = isRecord(object?.["status"]) ? object["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  return conditions.find(({ type }) => type === "Ready") ?? {};
}

async function untilReason(ref: ReturnType<typeof refOfRequest>, reason: string): Promise<KubeObject> {
  const found = await world.waitFor(ref, (object) => readyOf(object)["reason"] === reason);
  if (!found) throw new Error(`${ref.kind} ${ref.name} was there a moment ago`);
  return found;
}

function accessOf({ status }: KubeObject): { readonly name: string; readonly secretRef: string } {
  const access = isRecord(status) && Array.isArray(status["namespaceAccess"]) ? status["namespaceAccess"] : [];
  const first = access.find(isRecord);
  return { name: String(first?.["name"]), secretRef: String(first?.["secretRef"]) };
}

async function statusOf(answer: Promise<unknown>): Promise<number> {
  try {
    await answer;
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

const listing = (client: KubeClient, kind: string, inNamespace: string) =>
  statusOf(client.list({ apiVersion: "v1", kind, namespace: inNamespace }));

test("a SpaceRequest gets a namespace and a Secret with its kubeconfig, and leaves nothing behind", async () => {
  const stop = await world.start();
  const tier = await world.createClass("tier");
  const made = await request("first", tier, { disableInheritance: true });
  const ready = await untilReason(refOfRequest("first"), "Provisioned");
  const space = accessOf(ready);
  const claim = await world.client.get(claimRefOfSpace(made));
  expect(ready["status"]).toMatchObject({
    targetClusterURL: world.access.server.href.replace(/\/$/, ""),
    namespaceAccess: [{ name: world.environmentOf(claim), secretRef: `${claim.metadata.name}-kubeconfig` }],
  });
  const inside = await world.clientOf(claim.metadata.name);
  expect(await listing(inside, "Pod", space.name)).toBe(200);
  expect(await listing(inside, "Pod", namespace)).toBe(403);
  await world.client.delete(refOfRequest("first"), foreground);
  await world.waitFor(refOfRequest("first"), (found) => found === undefined);
  // The request goes last, for those who wait for it.
  expect(await world.client.find(claimRefOfSpace(made))).toBeUndefined();
  expect(await world.client.find({ apiVersion: "v1", kind: "Namespace", name: space.name })).toBeUndefined();
  // The API server remembers for 10 s that a token was good.
  await expect.poll(() => listing(inside, "Pod", space.name), { timeout: 300_000 }).toBe(401);
  await stop();
});

test("a SpaceRequest of a run ends with it, and before it when the run's last task deletes it", async () => {
  const stop = await world.start();
  const tier = await world.createClass("of-runs", { grace: "0s" });
  const player = new PipelinePlayer(world.client, namespace);
  const ownerReferences = [];
  for (const name of ["ends", "goes-on"]) {
    const { apiVersion, kind, metadata } = await world.createRun(name);
    ownerReferences.push([{ apiVersion, kind, name, uid: metadata.uid }]);
  }
  await request("ends", tier, {}, { ownerReferences: ownerReferences[0] });
  const deleted = await request("goes-on", tier, {}, { ownerReferences: ownerReferences[1] });
  const spaces = [
    accessOf(await untilReason(refOfRequest("ends"), "Provisioned")),
    accessOf(await untilReason(refOfRequest("goes-on"), "Provisioned")),
  ];
  await player.finish("ends");
  const ended = await untilReason(refOfRequest("ends"), "OwnerEnded");
  expect(messageOf(ended)).toBe(`PipelineRun ${namespace}/ends has ended`);
  expect(accessOf(ended).name).toBe("undefined");
  await world.client.delete(refOfRequest("goes-on"));
  await world.waitFor(claimRefOfSpace(deleted), (found) => found === undefined);
  for (const { name } of spaces) await world.untilNamespaceIsGone(name);
  await stop();
});

test("a SpaceRequest is refused, and says why, while no class has the labels that it asks for", async () => {
  const stop = await world.start();
  const tier = await world.createClass("labelled");
  const role = "cluster-role.toolchain.dev.openshift.com/tenant";
  const made = await request("choosy", tier, { targetClusterRoles: [role] });
  const waiting = await untilReason(refOfRequest("choosy"), "UnableToProvision");
  expect(messageOf(waiting)).toContain(`no EphemeralClass ${tier} with the label ${role}`);
  expect(await world.client.find(claimRefOfSpace(made))).toBeUndefined();
  const ref = { apiVersion: "tenon.dev/v1alpha1", kind: "EphemeralClass", name: tier };
  await world.client.patch(ref, { type: "merge", body: { metadata: { labels: { [role]: "" } } } });
  await untilReason(refOfRequest("choosy"), "Provisioned");
  const changed = { type: "merge", body: { spec: { tierName: "another" } } } as const;
  await expect(world.client.patch(refOfRequest("choosy"), changed)).rejects.toThrow("tierName cannot be changed");
  await stop();
});

test("a SpaceRequest takes no claim that someone else made under its claim's name", async () => {
  const tier = world.className("tier");
  const made = await request("taken", tier);
  const { name } = claimRefOfSpace(made);
  await world.createClaim(name, { className: tier });
  const stop = await world.start();
  const refused = await untilReason(refOfRequest("taken"), "UnableToProvision");
  expect(messageOf(refused)).toContain(`EphemeralClaim ${namespace}/${name} exists already`);
  expect(accessOf(refused).name).toBe("undefined");
  await stop();
});

test("a restart makes no second space and writes nothing", async () => {
  const stop = await world.start();
  await request("restarted", world.className("tier"));
  await untilReason(refOfRequest("restarted"), "Provisioned");
  await stop();
  world.calls.length = 0;
  const stopAgain = await world.start();
  await request("after", world.className("tier"));
  await untilReason(refOfRequest("after"), "Provisioned");
  const about = world.calls.filter((call) => !call.startsWith("GET") && call.includes("/restarted"));
  expect(about).toEqual([]);
  const claims = (await world.client.list(world.claims)).items.map(({ metadata }) => metadata.name);
  expect(claims.filter((name) => name.startsWith("restarted-"))).toHaveLength(1);
  await stopAgain();
});

test("a SpaceBinding gives a person the role in the space, and takes it away again", async () => {
  const stop = await world.start();
  await request("shared", world.className("tier"));
  await bind(world.client, "alice", "alice", "shared", "admin");
  await bind(world.client, "bob", "bob", "shared", "viewer");
  const space = accessOf(await untilReason(refOfRequest("shared"), "Provisioned"));
  await untilReason(refOfBinding("alice"), "Provisioned");
  await untilReason(refOfBinding("bob"), "Provisioned");
  const [alice, bob] = ["alice", "bob"].map((user) => world.client.impersonate({ user }));
  if (!alice || !bob) throw new Error("two people");
  expect(await listing(alice, "Secret", space.name)).toBe(200);
  expect(await listing(bob, "Pod", space.name)).toBe(200);
  expect(await listing(bob, "Secret", space.name)).toBe(403);
  for (const person of [alice, bob]) expect(await listing(person, "Pod", namespace)).toBe(403);
  await stop();
  // The role is taken although nothing watched the deletion.
  await world.client.delete(refOfBinding("alice"));
  const stopAgain = await world.start();
  await expect.poll(() => listing(alice, "Pod", space.name), { timeout: 300_000 }).toBe(403);
  expect(await listing(bob, "Pod", space.name)).toBe(200);
  await expect(bind(world.client, "node", "system:node:a", "shared", "viewer")).rejects.toThrow("must be a person");
  await expect(bind(world.client, "more", "carol", "shared", "cluster-admin")).rejects.toThrow("Unsupported value");
  await stopAgain();
});

test("no one gains rights by a SpaceBinding: it takes the right to read the Secret, and a policy that checks that", async () => {
  const stop = await world.start();
  const grant = {
    name: `${namespace}-mallory`,
    user: `${namespace}-mallory`,
    rules: [{ apiGroups: ["toolchain.dev.openshift.com"], resources: ["spacebindings"], verbs: ["create"] }],
  };
  await grantRights(world.client, grant);
  const mallory = world.client.impersonate({ user: grant.user });
  await expect
    .poll(() => statusOf(bind(mallory, "mallory", grant.user, "shared", "admin")), { timeout: 300_000 })
    .toBe(403);
  await expect(bind(mallory, "mallory", grant.user, "shared", "admin")).rejects.toThrow(
    "needs the right to read the Secrets of its namespace",
  );
  const [policy] = spaceBindingPolicy;
  if (!policy) throw new Error("a policy");
  const ref = { apiVersion: policyVersion, kind: policy.kind, name: spaceBindingPolicyName };
  await world.client.delete(ref);
  await expect
    .poll(() => statusOf(bind(mallory, "early", grant.user, "shared", "admin")), { timeout: 300_000 })
    .toBe(200);
  const waiting = await untilReason(refOfBinding("early"), "Provisioning");
  expect(messageOf(waiting)).toContain(`the policy ${spaceBindingPolicyName} is not installed`);
  const space = accessOf(await world.client.get(refOfRequest("shared")));
  expect(await listing(mallory, "Pod", space.name)).toBe(403);
  await world.client.delete(refOfBinding("early"));
  await world.client.apply(policy, { fieldManager: "tenon", force: true });
  await revokeRights(world.client, grant);
  await stop();
});
