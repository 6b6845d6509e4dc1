import type { JsonObject } from "#base";
import type { Identity, KubeObject } from "#kube";
import type { Side } from "./names.ts";
import type { Plug } from "./plug.ts";
import type { DeletionPolicy, Socket } from "./socket.ts";

/** A plug and the socket it is for. */
export interface Pair {
  readonly plug: Plug;
  readonly socket: Socket;
}

export const sides: readonly Side[] = ["plug", "socket"];

export const kindOfSide = { plug: "Plug", socket: "Socket" } as const satisfies Readonly<Record<Side, string>>;

export function sideOf({ kind }: Plug | Socket): Side {
  return kind === "Plug" ? "plug" : "socket";
}

/** An empty namespace counts as absent, as everywhere. */
export function namespaceOf({ metadata: { namespace } }: Plug | Socket | KubeObject): string {
  return namespace ?? "";
}

/** For messages: `Plug app/web`. */
export function describeObject(object: Plug | Socket): string {
  return `${object.kind} ${namespaceOf(object)}/${object.metadata.name}`;
}

/** The name of a socket, which may not exist. */
export interface SocketName {
  readonly namespace: string;
  readonly name: string;
}

/** The socket that a plug names; undefined if it names none. */
export function requestedSocket(plug: Plug): SocketName | undefined {
  const { socket } = plug.spec;
  return socket && { name: socket.name, namespace: socket.namespace || namespaceOf(plug) };
}

/** A Plug, a Socket or a DeferredResource: reads and writes are done as its service account. */
interface ActingObject {
  readonly metadata: { readonly namespace?: string };
  readonly spec?: { readonly serviceAccountName?: string };
}

export function serviceAccountOf({ spec }: ActingObject): string {
  return spec?.serviceAccountName || "default";
}

/**
 * The user that reads and writes everything for this side. The API server adds the groups of a service account by itself;
 * naming them would require the right to impersonate groups, and with it system:masters.
 */
export function identityOf(object: ActingObject): Identity {
  return { user: `system:serviceaccount:${object.metadata.namespace ?? ""}:${serviceAccountOf(object)}` };
}

export function deletionPolicyOf({ spec: { deletionPolicy, socketDeletionPolicy } }: Socket): DeletionPolicy {
  return deletionPolicy ?? socketDeletionPolicy ?? "Decouple";
}

/** For objects that came from the API server: they are JSON throughout, although their types say `unknown`. */
export function jsonObject(value: object): JsonObject {
  if (!isJsonObject(value)) throw new TypeError("expected an object, got a list");
  return value;
}

function isJsonObject(value: object): value is JsonObject {
  return !Array.isArray(value);
}
