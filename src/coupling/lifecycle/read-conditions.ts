import type { KubeObject } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";

/** A condition of an object that nobody has checked. */
export function conditionOf(
  object: KubeObject | undefined,
  type: string,
): Readonly<Record<string, unknown>> | undefined {
  const status = object?.["status"];
  const conditions = isJsonObject(status) ? status["conditions"] : undefined;
  return Array.isArray(conditions)
    ? conditions.filter(isJsonObject).find((condition) => condition["type"] === type)
    : undefined;
}

/** Whether `created` is done, after which `Coupled` is there. While `created` waits for its apparatus, `Coupled` says that. */
export function isCreated(object: KubeObject | undefined): boolean {
  const coupled = conditionOf(object, "Coupled");
  const status = object?.["status"];
  const isPending = isJsonObject(status) && status["phase"] === "Pending";
  return coupled !== undefined && !(isPending && coupled["reason"] === "WaitingForApparatus");
}

export function isCoupledTrue(object: KubeObject | undefined): boolean {
  return conditionOf(object, "Coupled")?.["status"] === "True";
}
