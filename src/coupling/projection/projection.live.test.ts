import { describe, test } from "vitest";
import { valueAt } from "#base";
import { useCoupling } from "#harness";
import type { KubeObject, ObjectRef } from "#kube";
import { conditionOf } from "../lifecycle/unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const result = (url: string) => ({ interface: { name: "postgres" }, result: { url } });
const deploymentRef = (name: string): ObjectRef => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespace: world.app,
  name,
});

function deployment(name: string, { labels = {}, nodeSelector = {}, env = [] as object[] } = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: world.app, labels },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { nodeSelector, containers: [{ name: "main", image: "example.com/a", env }] },
      },
    },
  };
}

const podOf = (live: KubeObject | undefined) => valueAt(live, ["spec", "template", "spec"]);
const hashOf = (live: KubeObject | undefined, plug: string) =>
  valueAt(live, ["spec", "template", "metadata", "annotations", `integration.rock8s.com/binding-${plug}`]);
const waitForProjected = (name: string, status: string, reason?: string) =>
  world.waitFor(world.ref("Plug", name), (found) => {
    const condition = conditionOf(found, "Projected");
    return condition?.["status"] === status && (reason === undefined || condition["reason"] === reason);
  });
const waitForMount = (deploy: string, plug: string, other?: unknown) =>
  world.waitFor(deploymentRef(deploy), (found) => ![undefined, other].includes(hashOf(found, plug)));

/** The plug has been looked at again, after everything that happened before. */
async function lookAgain(name: string): Promise<void> {
  await world.apply(world.plug(name, { ...(await specOf(name)), epoch: crypto.randomUUID() }));
  await world.waitUntilCoupled(name);
}

async function specOf(name: string): Promise<object> {
  const spec = (await world.client.get(world.ref("Plug", name)))["spec"];
  return typeof spec === "object" && spec !== null ? spec : {};
}

describe.concurrent("projection", () => {
  test("a workload gets the binding, restarts when it changes and not otherwise, and is as before when the plug leaves", async ({
    expect,
  }) => {
    await world.apply(deployment("web", { env: [{ name: "OWN", value: "1" }] }), world.socket("s-web", result("u1")));
    const before = podOf(await world.client.get(deploymentRef("web")));
    const workload = { kind: "Deployment", name: "web", env: [{ name: "URL", key: "url" }] };
    await world.apply(world.plug("p-web", { ...on("s-web"), workload }));
    const plug = await waitForProjected("p-web", "True");
    expect(conditionOf(plug, "Projected")).toMatchObject({
      reason: "Mounted",
      message: `mounted in Deployment ${world.app}/web`,
    });
    const first = await world.client.get(deploymentRef("web"));
    expect(podOf(first)).toMatchObject({
      volumes: [{ name: "binding-p-web", secret: { secretName: "p-web-integration-result" } }],
      containers: [
        {
          image: "example.com/a",
          volumeMounts: [{ name: "binding-p-web", mountPath: "/bindings/p-web", readOnly: true }],
          env: expect.arrayContaining([
            { name: "OWN", value: "1" },
            { name: "SERVICE_BINDING_ROOT", value: "/bindings" },
            { name: "URL", valueFrom: { secretKeyRef: { name: "p-web-integration-result", key: "url" } } },
          ]),
        },
      ],
    });
    await lookAgain("p-web");
    await lookAgain("p-web");
    const still = await world.client.get(deploymentRef("web"));
    expect(still.metadata.generation).toBe(first.metadata.generation);

    await world.apply(world.socket("s-web", result("u2")));
    const rotated = await waitForMount("web", "p-web", hashOf(first, "p-web"));
    expect(rotated?.metadata.generation).toBe((first.metadata.generation ?? 0) + 1);

    await world.client.delete(world.ref("Plug", "p-web"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-web"));
    const after = await world.client.get(deploymentRef("web"));
    expect(hashOf(after, "p-web")).toBe(undefined);
    expect(podOf(after)).toEqual(before);
    expect(after.metadata.managedFields?.map(({ manager }) => manager)).not.toContain("tenon-binding-p-web");
  });

  test("of several workloads, the next restarts only when the last one is ready", async ({ expect }) => {
    const labels = { team: "turns" };
    await world.apply(
      deployment("turn-a", { labels, nodeSelector: { no: "node" } }),
      deployment("turn-b", { labels }),
      world.socket("s-turn", result("u")),
      world.plug("p-turn", { ...on("s-turn"), workload: { kind: "Deployment", selector: { matchLabels: labels } } }),
    );
    await waitForMount("turn-a", "p-turn");
    const waiting = await world.waitFor(world.ref("Plug", "p-turn"), (found) =>
      String(conditionOf(found, "Projected")?.["message"]).includes("replicas are"),
    );
    expect(conditionOf(waiting, "Projected")).toMatchObject({
      status: "False",
      reason: "Restarting",
      message: expect.stringMatching(/turn-a restarts with the binding: .*; 1 more waits for its turn$/),
    });
    expect(conditionOf(waiting, "Coupled")?.["status"]).toBe("True");
    expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "False", reason: "ResourceNotReady" });
    await lookAgain("p-turn");
    expect(hashOf(await world.client.get(deploymentRef("turn-b")), "p-turn")).toBe(undefined);
    const body = { spec: { template: { spec: { nodeSelector: null } } } };
    await world.client.patch(deploymentRef("turn-a"), { type: "merge", body });
    await waitForMount("turn-b", "p-turn");
    const done = await waitForProjected("p-turn", "True");
    expect(conditionOf(done, "Projected")?.["message"]).toBe("mounted in 2 Deployments");
    expect(conditionOf(done, "Ready")?.["status"]).toBe("True");

    // One that no longer matches gives the binding back, and one that comes to match gets it.
    await world.client.patch(deploymentRef("turn-b"), {
      type: "merge",
      body: { metadata: { labels: { team: null } } },
    });
    await world.waitFor(deploymentRef("turn-b"), (found) => hashOf(found, "p-turn") === undefined);
    await world.apply(deployment("turn-c", { labels }));
    await waitForMount("turn-c", "p-turn");
  });

  test("a workload that is made after its plug gets the binding, and one that the plug no longer names gives it back", async ({
    expect,
  }) => {
    const named = (name: string) => ({ ...on("s-late"), workload: { kind: "Deployment", name } });
    await world.apply(world.socket("s-late", {}), world.plug("p-late", named("late")));
    const waiting = await waitForProjected("p-late", "False", "WorkloadNotFound");
    expect(conditionOf(waiting, "Ready")).toMatchObject({
      status: "False",
      message: `Deployment ${world.app}/late of spec.workload does not exist yet`,
    });
    await world.apply(deployment("late"), deployment("later"));
    await waitForMount("late", "p-late");
    await world.apply(world.plug("p-late", named("later")));
    await waitForMount("later", "p-late");
    await world.waitFor(deploymentRef("late"), (found) => hashOf(found, "p-late") === undefined);
    const moved = await waitForProjected("p-late", "True");
    expect(valueAt(moved, ["status", "workloads"])).toMatchObject([{ kind: "Deployment", name: "later" }]);
    await world.client.apply(world.plug("p-late", on("s-late")), { fieldManager: "test", force: true });
    await world.waitFor(deploymentRef("later"), (found) => hashOf(found, "p-late") === undefined);
    await world.waitFor(world.ref("Plug", "p-late"), (found) => conditionOf(found, "Projected") === undefined);
  });

  test("two plugs share a workload with its owner's tool, and a binding that is removed comes back", async ({
    expect,
  }) => {
    const workload = { kind: "Deployment", name: "shared" };
    const gitops = { fieldManager: "gitops", force: true };
    await world.client.apply(deployment("shared"), gitops);
    await world.apply(
      world.socket("s-shared", result("u")),
      world.plug("p-one", { ...on("s-shared"), workload }),
      world.plug("p-two", { ...on("s-shared"), workload }),
    );
    await waitForProjected("p-one", "True");
    await waitForProjected("p-two", "True");
    const both = ["binding-p-one", "binding-p-two"];
    const volumes = (live: KubeObject | undefined): string[] => {
      const found = valueAt(podOf(live), ["volumes"]);
      return (Array.isArray(found) ? found : []).map((volume) => String(valueAt(volume, ["name"]))).toSorted();
    };
    const again = deployment("shared", { env: [{ name: "NEW", value: "1" }] });
    expect(volumes(await world.client.apply(again, gitops))).toEqual(both);

    // A tool that replaces whole lists removes what it does not know.
    const containers = valueAt(podOf(again), ["containers"]);
    const body = { spec: { template: { metadata: { annotations: null }, spec: { volumes: null, containers } } } };
    expect(volumes(await world.client.patch(deploymentRef("shared"), { type: "merge", body }))).toEqual([]);
    await world.waitFor(deploymentRef("shared"), (found) => volumes(found).join() === both.join());

    await world.client.delete(world.ref("Plug", "p-one"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-one"));
    expect(volumes(await world.client.get(deploymentRef("shared")))).toEqual(["binding-p-two"]);
  });

  test("a variable that the owner of the workload sets is not taken over, and the message names the owner", async ({
    expect,
  }) => {
    await world.client.apply(deployment("owned", { env: [{ name: "URL", value: "own" }] }), { fieldManager: "gitops" });
    const workload = { kind: "Deployment", name: "owned", env: [{ name: "URL", key: "url" }] };
    await world.apply(world.socket("s-owned", result("u")), world.plug("p-owned", { ...on("s-owned"), workload }));
    const failed = await world.waitFor(
      world.ref("Plug", "p-owned"),
      (found) => conditionOf(found, "Failed")?.["status"] === "True",
    );
    expect(conditionOf(failed, "Failed")?.["message"]).toBe(
      `plug: spec.workload.env[0].name: container main of Deployment ${world.app}/owned has URL from gitops; remove it there, or leave it out here`,
    );
    expect(valueAt(failed, ["status", "lastError"])).toMatchObject({ stage: "projection", side: "plug" });
    expect(valueAt(podOf(await world.client.get(deploymentRef("owned"))), ["volumes"])).toBe(undefined);
    await world.client.apply(deployment("owned"), { fieldManager: "gitops" });
    await world.apply(world.plug("p-owned", { ...on("s-owned"), workload, epoch: "1" }));
    await waitForProjected("p-owned", "True");
  });

  test("a container with the binding can be removed by a server-side apply once the plug leaves it out", async ({
    expect,
  }) => {
    const gitops = { fieldManager: "gitops" };
    const one = deployment("sidecar");
    const two = structuredClone(one);
    const containers = valueAt(podOf(two), ["containers"]);
    if (Array.isArray(containers)) containers.push({ name: "side", image: "example.com/b" });
    await world.client.apply(two, gitops);
    const workload = { kind: "Deployment", name: "sidecar" };
    await world.apply(world.socket("s-side", {}), world.plug("p-side", { ...on("s-side"), workload }));
    await waitForProjected("p-side", "True");
    await expect(world.client.apply(one, gitops)).rejects.toThrow(/containers\[1\]\.image: Required value/);
    const before = hashOf(await world.client.get(deploymentRef("sidecar")), "p-side");
    const narrowed = { ...workload, containers: ["main"] };
    await world.apply(world.plug("p-side", { ...on("s-side"), workload: narrowed }));
    await waitForMount("sidecar", "p-side", before);
    expect(valueAt(podOf(await world.client.apply(one, gitops)), ["containers"])).toHaveLength(1);
  });

  test("a missing right to change the workload is named, and never keeps the plug from being deleted", async ({
    expect,
  }) => {
    const name = "narrow";
    const [namespace, rbac] = [world.app, "rbac.authorization.k8s.io"];
    const role = (verbs: readonly string[]): KubeObject => ({
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name, namespace },
      rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs }],
    });
    await world.apply(
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
      role(["get", "watch"]),
      {
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata: { name, namespace },
        roleRef: { apiGroup: rbac, kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name, namespace }],
      },
      deployment("narrow"),
      world.socket("s-narrow", result("u")),
      world.plug("p-narrow", {
        ...on("s-narrow"),
        serviceAccountName: name,
        workload: { kind: "Deployment", name: "narrow" },
      }),
    );
    const denied = await world.waitFor(
      world.ref("Plug", "p-narrow"),
      (found) => conditionOf(found, "Stalled")?.["status"] === "True",
    );
    expect(conditionOf(denied, "Failed")?.["message"]).toMatch(/deployments.*`tenon explain` prints the Role/);
    expect(valueAt(denied, ["status", "lastError", "stage"])).toBe("projection");
    await world.apply(role(["get", "watch", "patch"]));
    await waitForMount("narrow", "p-narrow");
    await waitForProjected("p-narrow", "True");

    await world.apply(role(["get", "watch"]));
    const acting = world.client.impersonate({ user: `system:serviceaccount:${namespace}:${name}` });
    const probe = { type: "merge", body: { metadata: { labels: { a: "b" } } }, dryRun: true } as const;
    const isDenied = () =>
      acting.patch(deploymentRef("narrow"), probe).then(
        () => false,
        () => true,
      );
    await expect.poll(isDenied, { timeout: 300_000 }).toBe(true);
    await world.client.delete(world.ref("Plug", "p-narrow"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-narrow"));
    expect(hashOf(await world.client.get(deploymentRef("narrow")), "p-narrow")).not.toBe(undefined);
    expect(await world.events("Plug", "p-narrow")).toEqual(expect.arrayContaining(["BindingMounted", "BindingLeft"]));
  });

  test("a plug whose workload was deleted is deleted at once", async ({ expect }) => {
    await world.apply(
      deployment("gone"),
      world.socket("s-gone", result("u")),
      world.plug("p-gone", { ...on("s-gone"), workload: { kind: "Deployment", name: "gone" } }),
    );
    await waitForProjected("p-gone", "True");
    await world.client.delete(deploymentRef("gone"), {});
    await waitForProjected("p-gone", "False", "WorkloadNotFound");
    await world.client.delete(world.ref("Plug", "p-gone"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-gone"));
    expect(await world.client.find(deploymentRef("gone"))).toBe(undefined);
  });
});

test("a restart of the operator reads the workload and writes nothing", async ({ expect }) => {
  await world.apply(
    deployment("quiet"),
    world.socket("s-quiet", result("u")),
    world.plug("p-quiet", { ...on("s-quiet"), workload: { kind: "Deployment", name: "quiet" } }),
  );
  await waitForProjected("p-quiet", "True");
  world.calls.length = 0;
  await world.restart();
  const about = (method: string, end: string) =>
    world.calls.filter((call) => call.startsWith(method) && call.includes(end));
  await expect.poll(() => about("GET", "/deployments/quiet").length, { timeout: 300_000 }).toBeGreaterThan(0);
  await world.settle();
  expect([...about("PATCH", "/deployments/quiet"), ...about("PATCH", "/plugs/p-quiet")]).toEqual([]);
});
