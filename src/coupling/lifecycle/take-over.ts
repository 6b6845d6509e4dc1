import type { CouplingEntry, ObjectIdentity, Pair, Plug, Socket } from "../kinds/index.ts";
import { inventoryOf } from "../resources/inventory-entries.ts";
import type { Pairing } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { type Configs, prepareStage } from "./prepare-stage.ts";
import { placingOf } from "./side-actions.ts";

/**
 * The pairing of a plug that integration-operator coupled. Its only trace is that plug and socket name each other: it writes both
 * names when both halves of `coupled` are done. The plug's status alone is not proof.
 */
export function pairingOfUpstream(
  plug: Plug,
  { cluster, roster }: Pick<CouplingDeps, "cluster" | "roster">,
): Pairing | undefined {
  return upstreamPairing(plug, ({ namespace, name, uid }) => {
    const isThere = cluster.sockets.get(`${namespace}/${name}`)?.metadata.uid === uid;
    return isThere && roster.isListed(uid, plug.metadata.uid ?? "");
  });
}

/** The same for a plan, which knows the one socket that the plug names. */
export function plannedPairingOfUpstream(plug: Plug, { metadata, status }: Socket): Pairing | undefined {
  return upstreamPairing(
    plug,
    ({ uid }) =>
      uid === metadata.uid && status?.coupledPlugs?.some((listed) => listed.uid === plug.metadata.uid) === true,
  );
}

function upstreamPairing({ status }: Plug, isConfirmed: (socket: ObjectIdentity) => boolean): Pairing | undefined {
  const { pairing, coupledSocket, coupledResult } = status ?? {};
  if (pairing || !coupledSocket || !isConfirmed(coupledSocket)) return undefined;
  const { namespace, name, uid } = coupledSocket;
  const generation = coupledResult?.observedGeneration ?? 0;
  return { socket: { namespace, name, uid }, stage: "coupled", generation, done: ["plug", "socket"] };
}

/** A pairing without a hash of its inputs was made by integration-operator. */
export function isOfUpstream({ inputsHash }: Pairing): boolean {
  return inputsHash === undefined;
}

/** The objects that integration-operator would have created, by name; those with its mark are ours from now on. */
export async function madeByUpstream(
  pair: Pair,
  configs: Configs,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<CouplingEntry[]> {
  const { plug, socket } = await prepareStage(pair, "coupled", configs, placingOf(deps), signal);
  return inventoryOf([...plug, ...socket]);
}
