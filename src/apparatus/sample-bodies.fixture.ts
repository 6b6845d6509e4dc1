import type { JsonObject } from "#base";

/** Bodies as Tenon sends them, for tests. */
export function samplePlug(changes: JsonObject = {}): JsonObject {
  return {
    apiVersion: "integration.rock8s.com/v1beta1",
    kind: "Plug",
    metadata: { name: "shop", namespace: "shop", uid: "plug-1", generation: 1, resourceVersion: "7" },
    spec: { socket: { name: "postgres" } },
    ...changes,
  };
}

export function sampleSocket(): JsonObject {
  return {
    apiVersion: "integration.rock8s.com/v1beta1",
    kind: "Socket",
    metadata: { name: "postgres", namespace: "data", uid: "socket-1", generation: 1 },
    spec: {},
  };
}

export function pairBody(changes: JsonObject = {}): JsonObject {
  return {
    version: "1",
    plug: samplePlug(),
    socket: sampleSocket(),
    plugConfig: { database: "shop" },
    socketConfig: {},
    ...changes,
  };
}

export function configBody(changes: JsonObject = {}): JsonObject {
  return { version: 1, plug: samplePlug(), socket: sampleSocket(), plugData: {}, socketData: {}, ...changes };
}
