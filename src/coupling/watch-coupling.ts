import { createNamespaceScope, FreshStore, type NamespaceChoice } from "#runtime";
import { apparatusPods } from "./apparatus/pods/own-pods.ts";
import { apiVersion, parseSocket, Plug, type Socket } from "./kinds/index.ts";
import { byNamespace, byPairing, bySocket, byUid } from "./lifecycle/coupling-deps.ts";
import { pairingOf, socketOf } from "./lifecycle/unparsed-objects.ts";

/** What the operator sees of the cluster, in its namespaces. */
export type CouplingWatch = ReturnType<typeof watchCoupling>;

/** The reflectors of plugs, sockets, and what they depend on. */
export function watchCoupling(
  options: Omit<Parameters<typeof createNamespaceScope>[0], "choice">,
  choice: NamespaceChoice | undefined,
) {
  const scope = createNamespaceScope({ ...options, choice });
  const plugs = scope.reflect({
    selection: { apiVersion, kind: "Plug" },
    indexers: {
      [byPairing]: (plug) => listOf(pairingOf(plug)),
      [bySocket]: (plug) => listOf(socketOf(plug)),
      [byUid]: ({ metadata }) => listOf(metadata.uid),
      [byNamespace]: ({ metadata }) => listOf(metadata.namespace),
    },
  });
  const sockets = scope.reflect({
    selection: { apiVersion, kind: "Socket" },
    indexers: {
      [byUid]: ({ metadata }) => listOf(metadata.uid),
      [byNamespace]: ({ metadata }) => listOf(metadata.namespace),
    },
  });
  const metadataOnly = (kind: string) => scope.reflect({ selection: { apiVersion: "v1", kind, metadataOnly: true } });
  const [freshPlugs, freshSockets] = [new FreshStore(plugs), new FreshStore(sockets)];
  return {
    scope,
    plugs,
    sockets,
    secrets: metadataOnly("Secret"),
    configMaps: metadataOnly("ConfigMap"),
    namespaces: scope.namespaces,
    pods: scope.reflect(apparatusPods),
    covers: (name: string): boolean => scope.covers(name),
    freshPlugs,
    freshSockets,
    /** The key of the socket that a plug names; empty if it names none, or does not exist. */
    socketKeyOf: (plugKey: string): string => {
      const plug = plugs.store.get(plugKey);
      return (plug && socketOf(plug)) ?? "";
    },
    /** The newest known plug or socket; undefined if it does not exist, or is not valid. */
    ownerOf: (kind: string, key: string) => ownerIn(kind === "Plug" ? freshPlugs : freshSockets, kind, key),
  };
}

function ownerIn(objects: FreshStore, kind: string, key: string): Plug | Socket | undefined {
  const found = objects.get(key);
  try {
    return found && (kind === "Plug" ? Plug.parse(found) : parseSocket(found));
  } catch {
    return undefined; // its reconciler reports the error
  }
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}
