import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { Inventory } from "../kinds/index.ts";
import type { Claim } from "../resources/inventory-entries.ts";

/**
 * The uid of the socket that a plug is paired with, or was by integration-operator. The object is not validated: an index must
 * not throw.
 */
export function pairingOf({ status }: KubeObject): string | undefined {
  const { pairing, coupledSocket } = isRecord(status) ? status : {};
  const socket = isRecord(pairing) ? pairing["socket"] : coupledSocket;
  return isRecord(socket) && typeof socket["uid"] === "string" ? socket["uid"] : undefined;
}

/** Whether Tenon recorded a pairing that is not undone: after both halves of `decoupled`, only `deleted` needs it. */
export function hasPairing({ status }: KubeObject): boolean {
  const { pairing } = isRecord(status) ? status : {};
  if (!isRecord(pairing)) return false;
  const { stage, done } = pairing;
  return !(stage === "decoupled" && Array.isArray(done) && done.includes("plug") && done.includes("socket"));
}

/** Whether Tenon recorded that a plug is coupled to this socket, or about to be, and not decoupling. */
export function isPairedWith(plug: KubeObject, socketUid: string): boolean {
  const { pairing } = isRecord(plug.status) ? plug.status : {};
  return isRecord(pairing) && pairing["stage"] !== "decoupled" && pairingOf(plug) === socketUid;
}

/** The key of the socket that a plug names. */
export function socketOf({ spec, metadata }: KubeObject): string | undefined {
  const socket = isRecord(spec) ? spec["socket"] : undefined;
  if (!isRecord(socket) || typeof socket["name"] !== "string") return undefined;
  const { namespace } = socket;
  return `${typeof namespace === "string" && namespace !== "" ? namespace : (metadata.namespace ?? "")}/${socket["name"]}`;
}

/** The inventory of a plug or a socket. */
export function claimOf({ status, metadata: { uid = "" } }: KubeObject): Claim {
  const { data = [] } = Inventory.safeParse(isRecord(status) ? status["inventory"] : []);
  return [uid, data];
}

/** A condition of an object that is not validated. */
export function conditionOf(
  object: KubeObject | undefined,
  type: string,
): Readonly<Record<string, unknown>> | undefined {
  const status = object?.["status"];
  const conditions = isRecord(status) ? status["conditions"] : undefined;
  return Array.isArray(conditions)
    ? conditions.filter(isRecord).find((condition) => condition["type"] === type)
    : undefined;
}

/** Whether `created` is done: then there is a `Coupled` that does not just report that `created` has failed, or waits. */
export function isCreated(object: KubeObject | undefined): boolean {
  const coupled = conditionOf(object, "Coupled");
  const status = object?.["status"];
  const { phase, lastError } = isRecord(status) ? status : {};
  const isWaiting = phase === "Pending" && coupled?.["reason"] === "WaitingForApparatus";
  const hasFailed = isRecord(lastError) && lastError["stage"] === "created";
  return coupled !== undefined && !isWaiting && !hasFailed;
}

export function isCoupledTrue(object: KubeObject | undefined): boolean {
  return conditionOf(object, "Coupled")?.["status"] === "True";
}
