import { isJsonList, isJsonObject, type JsonValue } from "#base";
import type { Step, ValuePath } from "./value-path.ts";

/** What is there; undefined if nothing is, or null. */
export function findValue(value: JsonValue, path: ValuePath): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    if (found === undefined || found === null) return undefined;
    found = takeStep(found, step);
  }
  return found ?? undefined;
}

function takeStep(value: JsonValue, step: Step): JsonValue | undefined {
  if (step.kind === "key") return childOf(value, step.key);
  if (!isJsonList(value)) return undefined;
  if (step.kind === "count") return value.length;
  if (step.kind === "first") return value.find((item) => isEqual(findValue(item, step.where), step.equals));
  return value.flatMap((item) => {
    const found = findValue(item, step.steps);
    return found === undefined ? [] : [found];
  });
}

/** Nothing inherited: the path comes from a user. */
function childOf(value: JsonValue, key: string): JsonValue | undefined {
  if (isJsonList(value)) return /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** As gjson compares: the text of a query stands for a number where the value is one. */
function isEqual(value: JsonValue | undefined, text: string): boolean {
  if (typeof value === "number") return text.trim() !== "" && Number(text) === value;
  return typeof value === "boolean" ? String(value) === text : value === text;
}
