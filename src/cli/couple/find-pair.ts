import { InputError } from "#base";
import { Plug, Socket, requestedSocket } from "#coupling";
import { describeRef, type KubeClient } from "#kube";

/** A plug of the cluster and the socket that it asks for. */
export async function findPair(
  key: { readonly namespace: string; readonly name: string },
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly plug: Plug; readonly socket: Socket }> {
  const plugRef = { apiVersion: Plug.apiVersion, kind: Plug.kind, ...key };
  const foundPlug = await client.find(plugRef, signal);
  if (!foundPlug) {
    throw new InputError(`${describeRef(plugRef)} does not exist`, {
      next: "see what there is: `tenon get plugs --all-namespaces`",
    });
  }
  const plug = Plug.parse(foundPlug);
  const wanted = requestedSocket(plug);
  if (!wanted) throw new InputError(`${describeRef(plugRef)} asks for no socket`, { next: "give spec.socket.name" });
  const socketRef = { apiVersion: Socket.apiVersion, kind: Socket.kind, ...wanted };
  const foundSocket = await client.find(socketRef, signal);
  if (foundSocket) return { plug, socket: Socket.parse(foundSocket) };
  throw new InputError(`${describeRef(socketRef)} does not exist, so nothing is exchanged yet`, {
    where: describeRef(plugRef),
    next: "create the socket, or correct spec.socket; `tenon get sockets --all-namespaces` lists those there are",
  });
}
