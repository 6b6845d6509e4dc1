import { Plug, Socket } from "#coupling";
import type { KubeClient, KubeObject } from "#kube";
import { bareCoupling } from "./bare-coupling.ts";
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
