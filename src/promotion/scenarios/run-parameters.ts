import { promotionAnnotations } from "../kinds/promotion-names.ts";
import type { TestScenario } from "./test-scenario.ts";
import type { TestedSnapshot } from "./tested-snapshot.ts";

/** A parameter of a PipelineRun. */
export interface RunParameter {
  readonly name: string;
  readonly value: string | readonly string[] | Readonly<Record<string, string>>;
}

/**
 * Linux takes at most 128 KiB as one argument or variable of a process, and Tekton wraps it in others:
 * https://man7.org/linux/man-pages/man2/execve.2.html
 */
const largestSnapshotText = 64 * 1024;

/** The Snapshot as a test gets it: its spec as JSON, or its name where that is asked for or the JSON is too large. */
function snapshotParameter({ object, name }: TestedSnapshot, { annotations }: TestScenario): string {
  if (annotations[promotionAnnotations.snapshotAsName] === "true") return name;
  const text = JSON.stringify(object["spec"] ?? {});
  return Buffer.byteLength(text) > largestSnapshotText ? name : text;
}

/** SNAPSHOT, and then the scenario's own in their order: a text, else a list of texts, else an empty object. */
export function runParameters(snapshot: TestedSnapshot, scenario: TestScenario): RunParameter[] {
  return [
    { name: "SNAPSHOT", value: snapshotParameter(snapshot, scenario) },
    ...scenario.parameters.map(({ name, value, values }) => {
      if (value !== undefined && value !== "") return { name, value };
      return { name, value: values !== undefined && values.length > 0 ? values : {} };
    }),
  ];
}
