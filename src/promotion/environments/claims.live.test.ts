import { describe, expect, test } from "vitest";
import { isRecord } from "#base";
import { ApiError, type KubeClient, type KubeObject } from "#kube";
import { PipelinePlayer } from "#tekton";
import { environmentFinalizer, environmentLabels } from "../kinds/environment-names.ts";
import { laterBy, messageOf, useEnvironments } from "./use-environments.fixture.ts";

const world = useEnvironments();
const { namespace } = world;
const hour = 3_600_000;
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "registry.example/web:1" }] },
    },
  },
};

async function statusOf(answer: Promise<unknown>): Promise<number> {
  try {
    await answer;
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

const secretOf = (name: string, rest: object) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace, ...rest },
});
const graceOf = (pod: KubeObject | undefined) => pod?.metadata["deletionGracePeriodSeconds"];
const podsOf = (client: KubeClient, inNamespace: string) =>
  statusOf(client.list({ apiVersion: "v1", kind: "Pod", namespace: inNamespace }));

describe("a claim that is ready", () => {
  test("P54: has a namespace and a kubeconfig that works there and nowhere else, and leaves nothing behind", async () => {
    const stop = await world.start();
    const className = await world.createClass("first", { quota: { pods: 5 }, limits: { default: { memory: "64Mi" } } });
    await world.createClaim("first", { className });
    await world.createClaim("second", { className });
    const claim = await world.untilPhase("first", "Ready");
    const second = await world.untilPhase("second", "Ready");
    const environment = world.environmentOf(claim);
    expect(claim["status"]).toMatchObject({ namespace: environment, secretRef: { name: "first-kubeconfig" } });
    const inside = await world.clientOf("first");
    const metadata = { ...deployment.metadata, namespace: environment };
    await inside.create({ ...deployment, metadata });
    expect(await podsOf(inside, environment)).toBe(200);
    expect(await podsOf(inside, namespace)).toBe(403);
    expect(await podsOf(inside, world.environmentOf(second))).toBe(403);
    await world.client.delete({ ...world.claims, name: "first" });
    const secret = { apiVersion: "v1", kind: "Secret", namespace, name: "first-kubeconfig" };
    await world.waitFor(secret, (found) => found === undefined);
    await world.untilPhase("first", undefined);
    // The claim goes last.
    expect(await world.client.find({ apiVersion: "v1", kind: "Namespace", name: environment })).toBeUndefined();
    // The API server remembers for 10 s that a token was good.
    await expect.poll(() => podsOf(inside, environment), { timeout: 300_000 }).toBe(401);
    const deletions = world.calls.filter((call) => call.startsWith("DELETE")).map((call) => call.replace(/^.*\//, ""));
    expect(deletions).toEqual(["first-kubeconfig", "tenon-environment", "tenon-environment", environment]);
    await stop();
  });

  test("bounds what its user can do: no wider network, no larger quota, no further rights, no privileged pods", async () => {
    const stop = await world.start();
    const claim = await world.untilPhase("second", "Ready");
    const environment = world.environmentOf(claim);
    const inside = await world.clientOf("second");
    const own = { namespace: environment, name: "tenon-environment" };
    const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
    const open = { podSelector: {}, policyTypes: ["Egress"], egress: [{}] };
    const binding = (name: string) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { namespace: environment, name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", ...own }],
    });
    const pod = { name: "node", namespace: environment };
    const spec = { hostNetwork: true, containers: [{ name: "node", image: "registry.example/web:1" }] };
    const quota = { type: "merge", body: { spec: { hard: { pods: "500" } } } } as const;
    const relabel = { metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } };
    const refused = [
      inside.create({ ...policy, metadata: { namespace: environment, name: "open" }, spec: open }),
      inside.delete({ ...policy, ...own }),
      inside.patch({ apiVersion: "v1", kind: "ResourceQuota", ...own }, quota),
      inside.create(binding("more")),
      inside.create({ apiVersion: "v1", kind: "Pod", metadata: pod, spec }),
      inside.patch({ apiVersion: "v1", kind: "Namespace", name: environment }, { type: "merge", body: relabel }),
      inside.list({ apiVersion: "v1", kind: "Secret" }),
      inside.get({ ...world.claims, name: "second" }),
      inside.list({ apiVersion: "v1", kind: "Node" }),
    ];
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 403));
    const live = await world.client.get({ ...policy, ...own });
    expect(live["spec"]).toMatchObject({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    await stop();
  });

  test("a restart writes nothing", async () => {
    await world.untilPhase("second", "Ready");
    world.calls.length = 0;
    const stop = await world.start();
    await world.createClaim("after", { className: world.className("first") });
    await world.untilPhase("after", "Ready");
    expect(world.calls.filter((call) => !call.startsWith("GET") && call.includes("/second"))).toEqual([]);
    await stop();
  });

  test("gets another token before the old one ends, in the same Secret, and its Secret back if someone deletes it", async () => {
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: "second-kubeconfig" };
    const before = await world.client.get(ref);
    // Its environment would have ended by then.
    await world.client.patch({ ...world.claims, name: "second" }, { type: "merge", body: { spec: { ttl: "3h" } } });
    const stop = await world.start({ clock: laterBy(hour - 60_000) });
    const renewed = await world.waitFor(
      ref,
      (found) => JSON.stringify(found?.["data"]) !== JSON.stringify(before["data"]),
    );
    expect(renewed?.metadata.uid).toBe(before.metadata.uid);
    const inside = await world.clientOf("second");
    expect(await podsOf(inside, world.environmentOf(await world.untilPhase("second", "Ready")))).toBe(200);
    await world.client.delete(ref);
    await world.waitFor(ref, (found) => found !== undefined && found.metadata.uid !== before.metadata.uid);
    await stop();
  });

  test("gets the Secrets for images that their owner labelled, and no others", async () => {
    const stop = await world.start();
    const type = "kubernetes.io/dockerconfigjson";
    const stringData = { ".dockerconfigjson": '{"auths":{"registry.example":{"auth":"YTpi"}}}' };
    const labels = { [environmentLabels.copied]: "true" };
    await world.client.create({ ...secretOf("pull", { labels }), type, stringData });
    await world.client.create({ ...secretOf("private", {}), type, stringData });
    await world.client.create({ ...secretOf("opaque", { labels }), type: "Opaque", stringData: { password: "x" } });
    const environment = world.environmentOf(await world.createClaim("pulls", { className: world.className("first") }));
    await world.untilPhase("pulls", "Ready");
    const { items } = await world.client.list({ apiVersion: "v1", kind: "Secret", namespace: environment });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["pull"]);
    const account = await world.client.get({
      apiVersion: "v1",
      kind: "ServiceAccount",
      namespace: environment,
      name: "default",
    });
    expect(account["imagePullSecrets"]).toEqual([{ name: "pull" }]);
    for (const name of ["pulls", "after", "second"]) await world.client.delete({ ...world.claims, name });
    for (const name of ["pulls", "after", "second"]) await world.untilPhase(name, undefined);
    for (const name of ["pull", "private", "opaque"])
      await world.client.delete({ apiVersion: "v1", kind: "Secret", namespace, name });
    await stop();
  });

  test("says so when its Secret's name is taken, and leaves that Secret alone", async () => {
    const stop = await world.start();
    const taken = { apiVersion: "v1", kind: "Secret", metadata: { name: "mine", namespace }, stringData: { a: "b" } };
    const made = await world.client.create(taken);
    await world.createClaim("taken", { className: world.className("first"), secretName: "mine" });
    const claim = await world.untilPhase("taken", "Failed");
    expect(messageOf(claim)).toContain(`Secret ${namespace}/mine exists already`);
    await world.untilNamespaceIsGone(world.environmentOf(claim));
    const left = await world.client.get({ apiVersion: "v1", kind: "Secret", namespace, name: "mine" });
    expect(left.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    await stop();
  });

  test("says so when someone else takes its Secret's name, leaves that Secret alone, and ends in time even so", async () => {
    const stop = await world.start();
    const held = { ...world.claims, name: "held" };
    await world.createClaim("held", { className: world.className("first") });
    const claim = await world.untilPhase("held", "Ready");
    const secret = { apiVersion: "v1", kind: "Secret", namespace, name: "held-kubeconfig" };
    const own = await world.client.get(secret);
    // In one write, so that the controller never finds the name free.
    const mine = { metadata: { ownerReferences: null, labels: null } };
    await world.client.patch(secret, { type: "merge", body: mine });
    const told = await world.waitFor(held, (found) => messageOf(found).includes("is not this claim's"));
    expect(told?.["status"]).toMatchObject({ phase: "Ready" });

    const { status } = claim;
    const admittedAt = isRecord(status) ? Date.parse(String(status["admittedAt"])) : 0;
    // A change has its own look at the clock, which is before that.
    const ttl = `${Math.ceil((Date.now() - admittedAt) / 1_000) + 3}s`;
    await world.client.patch(held, { type: "merge", body: { spec: { ttl } } });
    expect(messageOf(await world.untilPhase("held", "Released"), "Expired")).toContain("its time to live");
    await world.untilNamespaceIsGone(world.environmentOf(claim));
    const left = await world.client.get(secret);
    expect(left.metadata.uid).toBe(own.metadata.uid);
    await world.client.delete(secret);
    await world.client.delete(held);
    await world.untilPhase("held", undefined);
    await stop();
  });

  test("is Failed once someone else has removed its environment", async () => {
    const stop = await world.start();
    await world.createClaim("lost", { className: world.className("first") });
    const name = world.environmentOf(await world.untilPhase("lost", "Ready"));
    await world.client.delete({ apiVersion: "v1", kind: "Namespace", name });
    expect(messageOf(await world.untilPhase("lost", "Failed"))).toContain("removed by someone else");
    await stop();
  });
});

/** Each test leaves one way to the end, and bars the others: no owner, a long grace, a long TTL, or no controller. */
describe("an environment ends", () => {
  const long = { ttlDefault: "4h", ttlMax: "4h", grace: "4h" };

  test("P55: by the task under finally, which deletes the claim; twice does no harm", async () => {
    const stop = await world.start();
    const className = await world.createClass("finally", long);
    const player = new PipelinePlayer(world.client, namespace);
    await world.createRun("cancelled");
    await world.createClaim("finally", { className, ownerRef: { kind: "PipelineRun", name: "cancelled" } });
    const environment = world.environmentOf(await world.untilPhase("finally", "Ready"));
    const run = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace, name: "cancelled" };
    await world.client.patch(run, { type: "merge", body: { spec: { status: "CancelledRunFinally" } } });
    expect(await player.honourCancellation("cancelled")).toEqual(["clean-up"]);
    await Promise.all([1, 2].map(() => world.client.delete({ ...world.claims, name: "finally" })));
    await world.untilPhase("finally", undefined);
    await world.untilNamespaceIsGone(environment);
    expect(world.calls.filter((call) => call === `DELETE /api/v1/namespaces/${environment}`)).toHaveLength(1);
    await stop();
  });

  test("P55: with the deletion of its run, although that did not end", async () => {
    const stop = await world.start();
    await world.createRun("deleted");
    await world.createClaim("owned", {
      className: world.className("finally"),
      ownerRef: { kind: "PipelineRun", name: "deleted" },
    });
    const environment = world.environmentOf(await world.untilPhase("owned", "Ready"));
    await world.client.delete({ apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace, name: "deleted" });
    await world.untilPhase("owned", undefined);
    expect(await world.client.find({ apiVersion: "v1", kind: "Namespace", name: environment })).toBeUndefined();
    await stop();
  });

  test("P55: the grace after its run has ended, although nothing deletes the claim or the run", async () => {
    const stop = await world.start();
    const className = await world.createClass("grace", { ...long, grace: "0s" });
    const player = new PipelinePlayer(world.client, namespace);
    await world.createRun("ended");
    await world.createClaim("graced", { className, ownerRef: { kind: "PipelineRun", name: "ended" } });
    await world.untilPhase("graced", "Ready");
    await player.finish("ended");
    const claim = await world.untilPhase("graced", "Released");
    expect(messageOf(claim, "Released")).toBe(`PipelineRun ${namespace}/ended has ended`);
    await world.untilNamespaceIsGone(world.environmentOf(claim));
    const free = await world.waitFor({ ...world.claims, name: "graced" }, (found) => !found?.metadata.finalizers);
    expect(free?.metadata.uid).toBe(claim.metadata.uid);
    await stop();
  });

  test("P55: by its TTL, although no controller ran when it was over", async () => {
    const stop = await world.start();
    await world.createClaim("expires", { className: world.className("finally") });
    await world.untilPhase("expires", "Ready");
    await stop();
    const stopLater = await world.start({ clock: laterBy(4 * hour) });
    const claim = await world.untilPhase("expires", "Released");
    expect(messageOf(claim, "Expired")).toBe("its time to live of 4h is over");
    await world.untilNamespaceIsGone(world.environmentOf(claim));
    await stopLater();
  });

  test("before its claim does, which waits for it and says what is in the way", async () => {
    const stop = await world.start();
    await world.createClaim("blocked", { className: world.className("finally") });
    const environment = world.environmentOf(await world.untilPhase("blocked", "Ready"));
    const finalizers = ["test.example/never"];
    const metadata = { name: "stuck", namespace: environment, finalizers };
    await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await world.client.delete({ ...world.claims, name: "blocked" });
    const waiting = await world.waitFor(
      { ...world.claims, name: "blocked" },
      (claim) => claim !== undefined && messageOf(claim).includes("test.example/never"),
    );
    expect(waiting?.metadata.finalizers).toContain(environmentFinalizer);
    const stuck = { apiVersion: "v1", kind: "ConfigMap", namespace: environment, name: "stuck" };
    await world.client.patch(stuck, { type: "merge", body: { metadata: { finalizers: [] } } });
    await world.untilPhase("blocked", undefined);
    await world.untilNamespaceIsGone(environment);
    await stop();
  });

  test("with its pods, however long they may go on: those of its namespace get half a minute, not what they ask for", async () => {
    const stop = await world.start();
    const name = `${namespace}-node`;
    const kindOfNode = { apiVersion: "v1", kind: "Node" };
    await world.client.create({ ...kindOfNode, metadata: { name }, spec: { unschedulable: true } });
    await world.createClaim("stays", { className: world.className("finally") });
    const environment = world.environmentOf(await world.untilPhase("stays", "Ready"));
    const inside = await world.clientOf("stays");
    const pods = ["asked", "deleted"].map((each) => ({
      apiVersion: "v1",
      kind: "Pod",
      namespace: environment,
      name: each,
    }));
    const [asked, deleted] = pods;
    for (const { apiVersion, kind, ...metadata } of pods) {
      const containers = [{ name: "miner", image: "registry.example/miner:1" }];
      // Its own account is there already; that of Kubernetes may not be.
      const account = { serviceAccountName: "tenon-environment", automountServiceAccountToken: false };
      const spec = { ...account, nodeName: name, terminationGracePeriodSeconds: 31_536_000, containers };
      await inside.create({ apiVersion, kind, metadata, spec });
    }
    if (!asked || !deleted) throw new Error("two pods");
    await inside.delete(deleted, { gracePeriodSeconds: 63_072_000 });
    await world.client.delete({ ...world.claims, name: "stays" });
    for (const pod of pods) {
      const found = await world.waitFor(pod, (each) => (graceOf(each) ?? Infinity) <= 30);
      expect(graceOf(found)).toBe(30);
      // There is no kubelet that would say that it has ended.
      await world.client.delete(pod, { gracePeriodSeconds: 0 });
    }
    await world.untilPhase("stays", undefined);
    await world.client.delete({ ...kindOfNode, name });
    await stop();
  });

  test("P55: by the sweep, although its claim was removed by force while no controller ran", async () => {
    const stop = await world.start();
    await world.createClaim("forced", { className: world.className("finally") });
    const environment = world.environmentOf(await world.untilPhase("forced", "Ready"));
    const foreign = {
      name: `${namespace}-foreign`,
      labels: { [environmentLabels.claimUid]: "of-another-installation" },
    };
    await world.client.create({ apiVersion: "v1", kind: "Namespace", metadata: foreign });
    await stop();
    const ref = { ...world.claims, name: "forced" };
    await world.client.patch(ref, { type: "merge", body: { metadata: { finalizers: [] } } });
    await world.client.delete(ref);
    await world.untilPhase("forced", undefined);
    expect(await world.client.find({ apiVersion: "v1", kind: "Namespace", name: environment })).toBeDefined();
    const stopLater = await world.start();
    await world.untilNamespaceIsGone(environment);
    const left = await world.client.get({ apiVersion: "v1", kind: "Namespace", name: foreign.name });
    expect(left.metadata.deletionTimestamp).toBeUndefined();
    await world.client.delete({ apiVersion: "v1", kind: "Namespace", name: foreign.name });
    await stopLater();
  });

  test("P56: to make room for the next claim of its namespace, which waits and says why", async () => {
    const stop = await world.start();
    const className = await world.createClass("two", { ...long, maxPerNamespace: 2 });
    for (const name of ["queued-1", "queued-2", "queued-3"]) await world.createClaim(name, { className });
    await world.untilPhase("queued-1", "Ready");
    await world.untilPhase("queued-2", "Ready");
    const third = { ...world.claims, name: "queued-3" };
    const waiting = await world.waitFor(third, (claim) => claim !== undefined && messageOf(claim).startsWith("place"));
    expect(waiting?.["status"]).toMatchObject({ phase: "Pending", place: 1 });
    expect(messageOf(waiting)).toContain(`namespace ${namespace} has 2 of 2 environments`);
    await world.client.delete({ ...world.claims, name: "queued-1" });
    const ready = await world.untilPhase("queued-3", "Ready");
    expect(isRecord(ready["status"]) && ready["status"]["place"]).toBeFalsy();
    await stop();
  });

  test("with its class, which waits until the last one is gone", async () => {
    const stop = await world.start();
    const className = world.className("two");
    const ref = { apiVersion: "tenon.dev/v1alpha1", kind: "EphemeralClass", name: className };
    const two = await world.untilPhase("queued-2", "Ready");
    await world.client.delete(ref);
    expect(messageOf(await world.untilPhase("queued-2", "Released"), "Released")).toBe(
      `EphemeralClass ${className} is being deleted`,
    );
    await world.waitFor(ref, (found) => found === undefined);
    await world.untilNamespaceIsGone(world.environmentOf(two));
    await stop();
  });
});

test("a claim waits for its class, and gets its environment once there is one", async () => {
  const stop = await world.start();
  await world.createClaim("early", { className: world.className("late") });
  const ref = { ...world.claims, name: "early" };
  await world.waitFor(ref, (claim) => claim !== undefined && messageOf(claim).includes("not found"));
  await world.createClass("late");
  expect(messageOf(await world.untilPhase("early", "Ready"))).toContain("early-kubeconfig");
  await stop();
});

test("a class whose ClusterRole Tenon may not bind gives no one its rights, and says so", async () => {
  const stop = await world.start();
  const className = await world.createClass("mighty", { clusterRole: "cluster-admin" });
  await world.createClaim("mighty", { className });
  const claim = await world.untilPhase("mighty", "Failed");
  expect(messageOf(claim)).toContain("Tenon may not bind ClusterRole cluster-admin");
  await world.untilNamespaceIsGone(world.environmentOf(claim));
  await stop();
});

test("a claim with a forged owner lives no longer, and one with a forged status is given nothing", async () => {
  const stop = await world.start();
  const className = await world.createClass("forged", { grace: "0s" });
  await world.createClaim("owner", { className, ownerRef: { kind: "PipelineRun", name: "of-someone-else" } });
  expect(messageOf(await world.untilPhase("owner", "Released"), "Released")).toContain("does not exist");
  const forged = await world.createClaim("status", { className });
  const status = {
    phase: "Releasing",
    namespace: "kube-system",
    ending: { reason: "Expired", message: "x", since: "" },
  };
  await world.client.patch(
    { ...world.claims, name: "status" },
    { type: "merge", subresource: "status", body: { status } },
  );
  await world.untilPhase("status", "Released");
  await world.untilNamespaceIsGone(world.environmentOf(forged));
  const kubeSystem = await world.client.get({ apiVersion: "v1", kind: "Namespace", name: "kube-system" });
  expect(kubeSystem.metadata.deletionTimestamp).toBeUndefined();
  await stop();
});

test("P57: none of the kinds of deployments exists", async () => {
  const { items } = await world.client.list({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
  });
  const names = items.map(({ metadata }) => metadata.name);
  expect(names).toContain("ephemeralclaims.tenon.dev");
  const gone =
    /^(environments|snapshotenvironmentbindings|deploymenttargets|deploymenttargetclaims|deploymenttargetclasses|promotionruns|gitopsdeployments\w*)\./;
  expect(names.filter((name) => gone.test(name))).toEqual([]);
});
