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

export function isCoupledTrue(object: KubeObject | undefined): boolean {
  return conditionOf(object, "Coupled")?.["status"] === "True";
}
