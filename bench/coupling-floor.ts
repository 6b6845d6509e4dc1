import { Plug, Socket } from "#coupling";
import { type KubeClient, type KubeObject, refOf } from "#kube";
import { configMapOf, plugOf, socketOf } from "./couple-objects.ts";

/**
 * Plugs in a burst: create, finalizer, what is about to happen, the ConfigMap; then who is on each socket, and only then that it
 * has happened. Each plug asks for a socket that is not there, so that no operator that starts later cares.
 */
export async function floorOfCoupling(
  client: KubeClient,
  namespace: string,
  count: number,
  names: readonly string[],
): Promise<number> {
  const bare = bareCoupling(client);
  const sockets = await Promise.all(names.map(async (name) => await client.get({ ...Socket, namespace, name })));
  const start = performance.now();
  const pairs = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const socket = at(sockets, index);
      const made = await client.create(plugOf(namespace, `p${index}`, "nowhere"));
      const configMap = configMapOf(namespace, made.metadata.name, "1");
      const plug = await bare.begin(await bare.addFinalizer(made), "Coupling", "coupled", [configMap]);
      return { plug, socket, made: [await bare.make(configMap, plug, socket)] };
    }),
  );
  await Promise.all(
    sockets.map(async (socket) => {
      const own = pairs.filter((pair) => pair.socket === socket);
      await bare.list(
        socket,
        own.map(({ plug }) => plug),
      );
      await Promise.all(own.map(async ({ plug, made }) => await bare.end(plug, "coupled", made, socket)));
    }),
  );
  return performance.now() - start;
}

/** An edit of a socket that `floorOfCoupling` has coupled plugs to: the edit, and each plug begins, changes its ConfigMap, ends. */
export async function floorOfUpdate(client: KubeClient, namespace: string, name: string): Promise<number> {
  const bare = bareCoupling(client);
  const { items: plugs } = await client.list({ ...Plug, namespace });
  const start = performance.now();
  const socket = await client.apply(socketOf(namespace, name, "2"), { fieldManager: "bench", force: true });
  await Promise.all(
    plugs.map(async (plug) => {
      const configMap = configMapOf(namespace, plug.metadata.name, "2");
      await bare.begin(plug, "Updating", "updated", [configMap]);
      await bare.end(plug, "updated", [await bare.make(configMap, plug, socket)], socket);
    }),
  );
  return performance.now() - start;
}

function at(sockets: readonly KubeObject[], index: number): KubeObject {
  const socket = sockets[index % sockets.length];
  if (!socket) throw new Error("there is no socket");
  return socket;
}

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/**
 * The requests that any implementation must make for plugs, without any decision. Their bodies contain what the API
 * defines: conditions, phase, inventory, the socket, the result, labels and owners; nothing of our own.
 */
export function bareCoupling(client: KubeClient) {
  async function patchStatus(
    object: KubeObject,
    status: object,
    conditions: readonly Condition[],
  ): Promise<KubeObject> {
    const { generation = 1 } = object.metadata;
    const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, "");
    const dated = conditions.map((condition) => ({ ...condition, lastTransitionTime, observedGeneration: generation }));
    return await client.patch(refOf(object), {
      type: "merge",
      subresource: "status",
      body: { status: { observedGeneration: generation, ...status, conditions: dated } },
    });
  }

  return {
    addFinalizer: async (plug: KubeObject): Promise<KubeObject> =>
      await client.patch(refOf(plug), { type: "merge", body: { metadata: { finalizers: ["bench.tenon.dev/bare"] } } }),

    /** Before anything happens, and with what will be made. */
    begin: async (plug: KubeObject, phase: "Coupling" | "Updating", stage: string, made: readonly KubeObject[]) => {
      const inventory = made.map((object) => entryOf(object, stage));
      const said = { reason: `${phase}InProcess`, message: `${phase.toLowerCase()} in process` } as const;
      return await patchStatus(plug, { phase, inventory }, [
        { type: "Coupled", status: "False", ...said },
        { type: "Ready", status: "False", ...said },
        { type: "Reconciling", status: "True", ...said },
      ]);
    },

    /** With the rights of whose template it is. */
    make: async (object: KubeObject, plug: KubeObject, socket: KubeObject): Promise<KubeObject> => {
      const user = `system:serviceaccount:${socket.metadata.namespace}:default`;
      return await client
        .impersonate({ user })
        .apply(owned(object, plug, socket), { fieldManager: "bench", force: true });
    },

    list: async (socket: KubeObject, plugs: readonly KubeObject[]): Promise<void> => {
      const message = `${plugs.length} plugs coupled`;
      await patchStatus(
        socket,
        { phase: "Coupled", coupledPlugs: plugs.map(namedOf), coupledPlugsCount: plugs.length },
        [
          { type: "Coupled", status: "True", reason: "SocketCoupled", message },
          { type: "Ready", status: "True", reason: "Succeeded", message },
        ],
      );
    },

    end: async (plug: KubeObject, stage: string, made: readonly KubeObject[], socket: KubeObject): Promise<void> => {
      const said = { reason: "CouplingSucceeded", message: "coupling succeeded" } as const;
      const status = {
        phase: "Coupled",
        inventory: made.map((object) => entryOf(object, stage)),
        inputsHash: "0123456789abcdef0123456789abcdef",
        coupledSocket: namedOf(socket),
        coupledResult: { plug: {}, socket: {}, observedGeneration: plug.metadata.generation },
      };
      await patchStatus(plug, status, [
        { type: "Coupled", status: "True", ...said },
        { type: "Ready", status: "True", ...said },
      ]);
    },
  };
}

function namedOf({ apiVersion, kind, metadata: { name, namespace, uid } }: KubeObject) {
  return { apiVersion, kind, name, namespace, uid };
}

function entryOf({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject, stage: string) {
  const [version, group = ""] = apiVersion.split("/").toReversed();
  return { group, version, kind, namespace, name, ...(uid === undefined ? {} : { uid }), side: "socket", stage };
}

function owned(object: KubeObject, plug: KubeObject, socket: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = socket;
  const { namespace, name, uid = "" } = metadata;
  const group = "integration.rock8s.com";
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: {
        "app.kubernetes.io/managed-by": "bench",
        [`${group}/side`]: "socket",
        [`${group}/plug-uid`]: plug.metadata.uid ?? "",
        [`${group}/socket-uid`]: uid,
      },
      annotations: { [`${group}/owner`]: `${kind}/${namespace}/${name}` },
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
  };
}
