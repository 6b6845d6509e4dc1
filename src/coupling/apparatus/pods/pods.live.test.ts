import { describe, test } from "vitest";
import { valueAt } from "#base";
import { useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { conditionOf } from "../../lifecycle/unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const container = { name: "main", image: "nowhere.invalid/a:1", ports: [{ name: "container", containerPort: 3000 }] };
const apparatus = { endpoint: "/socket", containers: [container], idleTimeout: 1 };
const podRef = (name: string, namespace: string) => ({ apiVersion: "v1", kind: "Pod", namespace, name });
const annotated = ({ metadata, ...object }: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...metadata, annotations },
});

const coupledOf = (found: KubeObject | undefined, field: string) => conditionOf(found, "Coupled")?.[field];

async function untilPod(
  name: string,
  namespace: string,
  isSo: (pod: KubeObject) => boolean = () => true,
): Promise<KubeObject> {
  const pod = await world.waitFor(podRef(name, namespace), (found) => found !== undefined && isSo(found));
  if (!pod) throw new Error("it was there a moment ago");
  return pod;
}

/** Nothing answers behind the fake nodes' pods: a call waits for them until it is given up. */
describe.concurrent("apparatus pods", () => {
  test("H87: the apparatuses of a plug and a socket of the same name have a Service and a pod each", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("x87", { apparatus }, world.app),
      world.plug("x87", { socket: { name: "x87" }, apparatus }),
    );
    const pods = await Promise.all(["x87-apparatus"].map((name) => untilPod(name, world.app)));
    const [first] = pods;
    const isPlugs = first?.metadata.ownerReferences?.[0]?.kind === "Plug";
    const other = await untilPod(isPlugs ? "x87-socket-apparatus" : "x87-plug-apparatus", world.app);
    expect(other.metadata.ownerReferences).toMatchObject([{ kind: isPlugs ? "Socket" : "Plug", name: "x87" }]);
    for (const pod of [first, other]) {
      const { name = "", labels } = pod?.metadata ?? {};
      expect(labels).toEqual({
        apparatus: name,
        "integration.rock8s.com/apparatus-uid": pod?.metadata.ownerReferences?.[0]?.uid,
      });
      const service = await world.client.get({ apiVersion: "v1", kind: "Service", namespace: world.app, name });
      expect(service).toMatchObject({
        metadata: { ownerReferences: pod?.metadata.ownerReferences },
        spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "container" }] },
      });
      expect(pod?.metadata.annotations).toMatchObject({ "sidecar.istio.io/inject": "false" });
    }
  });

  test("a socket that waits for its pod says so, and so does the plug that waits for the socket", async ({
    expect,
  }) => {
    await world.apply(world.socket("s-wait", { apparatus }), world.plug("p-wait", on("s-wait")));
    const socket = await world.waitFor(
      world.ref("Socket", "s-wait"),
      (found) => coupledOf(found, "reason") === "WaitingForApparatus",
    );
    expect(conditionOf(socket, "Coupled")).toMatchObject({
      status: "False",
      message: `waiting for the apparatus to start: Pod ${world.prov}/s-wait-apparatus`,
    });
    const plug = await world.waitFor(world.ref("Plug", "p-wait"), (found) =>
      String(coupledOf(found, "message")).includes("s-wait-apparatus"),
    );
    expect(conditionOf(plug, "Coupled")?.["reason"]).toBe("SocketNotCreated");
  });

  test("are created with the rights of their object's service account, and one message names all missing rights", async ({
    expect,
  }) => {
    await world.apply(world.plug("p-rights", { ...on("s"), apparatus, serviceAccountName: "powerless" }));
    const failed = await world.waitFor(
      world.ref("Plug", "p-rights"),
      (found) => conditionOf(found, "Stalled") !== undefined,
    );
    const message = String(conditionOf(failed, "Failed")?.["message"]);
    expect(message).toContain(`service account ${world.app}/powerless may not get services`);
    expect(message).toContain("resources: [pods], verbs: [create, get, patch, delete]");
    expect(await world.client.find(podRef("p-rights-apparatus", world.app))).toBeUndefined();
  });

  test("that have ended are replaced, and so are those whose spec has changed", async ({ expect }) => {
    await world.apply(world.plug("p-anew", { ...on("s"), apparatus }));
    const first = await untilPod("p-anew-apparatus", world.app);
    const body = { status: { phase: "Failed" } };
    const ref = podRef("p-anew-apparatus", world.app);
    await world.client.patch(ref, { type: "merge", subresource: "status", body });
    const second = await untilPod("p-anew-apparatus", world.app, ({ metadata }) => metadata.uid !== first.metadata.uid);
    const changed = { ...apparatus, containers: [{ ...container, image: "nowhere.invalid/a:2" }] };
    await world.apply(world.plug("p-anew", { ...on("s"), apparatus: changed }));
    const third = await untilPod("p-anew-apparatus", world.app, ({ metadata }) => metadata.uid !== second.metadata.uid);
    expect(valueAt(third, ["spec", "containers", 0, "image"])).toBe("nowhere.invalid/a:2");
  });

  test("that never answered created do not block the deletion of a plug, which has nothing to undo", async ({
    expect,
  }) => {
    await world.apply(world.plug("p-end", { ...on("s"), apparatus }));
    await untilPod("p-end-apparatus", world.app);
    await world.client.delete(world.ref("Plug", "p-end"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-end"));
    expect(await world.events("Plug", "p-end")).not.toContain("DecoupleAbandoned");
  });
});

test("idle pods are stopped, whichever process started them", async ({ expect }) => {
  const apparatusUid = "integration.rock8s.com/apparatus-uid";
  await world.apply(
    world.socket("s-idle", {}),
    world.plug("p-idle", { ...on("s-idle") }),
    annotated(world.plug("p-kept", on("s-idle")), { "integration.rock8s.com/apparatus-keep": "true" }),
  );
  const start = async (name: string, ownedBy: string, labelled = ownedBy) => {
    const owner = await world.waitUntilCoupled(ownedBy);
    const { uid = "" } = await world.waitUntilCoupled(labelled).then(({ metadata }) => metadata);
    const { apiVersion, kind, metadata } = owner;
    await world.client.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: world.app,
        labels: { [apparatusUid]: uid },
        annotations: { "integration.rock8s.com/last-used": "2020-01-01T00:00:00Z" },
        ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" }],
      },
      spec: { containers: [container] },
    });
  };
  await start("kept", "p-kept");
  await start("mislabelled", "p-kept", "p-idle");
  // The last by its name, and so the last that is looked at.
  await start("unused", "p-idle");
  await world.apply(
    world.plug("p-idle", { ...on("s-idle"), apparatus: { ...apparatus, endpoint: "http://x.invalid" } }),
  );
  await world.restart();
  await world.waitUntilDeleted(podRef("unused", world.app));
  const left = await Promise.all(["kept", "mislabelled"].map((name) => world.client.get(podRef(name, world.app))));
  expect(left.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
});
