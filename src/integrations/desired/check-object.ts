import { formatFieldPath, isJsonObject, type JsonObject, type JsonValue, valueAt } from "#base";
import type { NamespaceData } from "../data/integration.ts";

const longestLabel = 63;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

const labelPaths: readonly (readonly string[])[] = [
  ["metadata", "labels"],
  ["spec", "template", "metadata", "labels"],
  ["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
];

/** What the API server would refuse in an object of a chart, beside its name; in words that follow the object's. */
export function* problemsOf(object: JsonObject, namespace: NamespaceData): Generator<string> {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const written = metadata["namespace"];
  if (typeof written === "string" && written !== "" && written !== namespace.name) {
    yield `is in namespace ${written}, expected ${namespace.name}`;
  }
  for (const path of labelPaths) {
    const labels = valueAt(object, path);
    if (typeof labels !== "object" || labels === null) continue;
    for (const [key, value] of Object.entries(labels)) {
      const problem = labelProblem(value);
      if (problem !== undefined) yield `${formatFieldPath([...path, key])} ${problem}`;
    }
  }
}

function labelProblem(value: JsonValue): string | undefined {
  if (typeof value !== "string") return `is ${JSON.stringify(value)}, expected a string`;
  if (value.length > longestLabel) return `has ${value.length} characters; a label may have at most ${longestLabel}`;
  return labelValue.test(value) ? undefined : `is ${JSON.stringify(value)}, which is not a valid label value`;
}
