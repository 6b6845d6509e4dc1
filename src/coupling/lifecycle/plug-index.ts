import type { KubeObject } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";
import { Inventory } from "../kinds/shared-status.ts";
import type { Claim } from "../resources/claims.ts";

/**
 * The uid of the socket that a plug is paired with, or was by integration-operator. Of an object nobody has checked: an index
 * must not throw.
 */
export function pairingOf({ status }: KubeObject): string | undefined {
  const { pairing, coupledSocket } = isJsonObject(status) ? status : {};
  const socket = isJsonObject(pairing) ? pairing["socket"] : coupledSocket;
  return isJsonObject(socket) && typeof socket["uid"] === "string" ? socket["uid"] : undefined;
}

/** Whether we have written down that a plug is paired. */
export function hasPairing({ status }: KubeObject): boolean {
  return isJsonObject(status) && isJsonObject(status["pairing"]);
}

/** Whether we have written down that a plug is on a socket, or on its way to it: not to another one, nor away from it. */
export function isPairedWith(plug: KubeObject, socketUid: string): boolean {
  const { pairing } = isJsonObject(plug.status) ? plug.status : {};
  return isJsonObject(pairing) && pairing["stage"] !== "decoupled" && pairingOf(plug) === socketUid;
}

/** The key of the socket that a plug asks for. */
export function socketOf({ spec, metadata }: KubeObject): string | undefined {
  const socket = isJsonObject(spec) ? spec["socket"] : undefined;
  if (!isJsonObject(socket) || typeof socket["name"] !== "string") return undefined;
  const { namespace } = socket;
  return `${typeof namespace === "string" && namespace !== "" ? namespace : (metadata.namespace ?? "")}/${socket["name"]}`;
}

/** What a plug has made, or a socket by itself. */
export function claimOf({ status, metadata: { uid = "" } }: KubeObject): Claim {
  const { data = [] } = Inventory.safeParse(isJsonObject(status) ? status["inventory"] : []);
  return [uid, data];
}
