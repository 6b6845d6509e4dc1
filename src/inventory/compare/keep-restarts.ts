import { restarts } from "../resource/annotations.ts";
import { type Exact, type ExactObject, mapAt } from "../resource/exact.ts";

const restartable = new Set(["DaemonSet", "Deployment", "DeploymentConfig", "StatefulSet"]);

/** What is wanted, with the marks of restarts that people asked for since: applying must not undo them. */
export function keepRestarts(desired: ExactObject, current: ExactObject): ExactObject {
  if (typeof desired["kind"] !== "string" || !restartable.has(desired["kind"])) return desired;
  const marks = annotationsOf(current);
  const wanted = annotationsOf(desired);
  const kept: { [key: string]: Exact } = {};
  for (const key of restarts) {
    const mark = marks[key];
    if (mark !== undefined && !Object.hasOwn(wanted, key)) kept[key] = mark;
  }
  if (Object.keys(kept).length === 0) return desired;
  const spec = mapAt(desired, "spec");
  const template = mapAt(spec, "template");
  const metadata = { ...mapAt(template, "metadata"), annotations: { ...wanted, ...kept } };
  return { ...desired, spec: { ...spec, template: { ...template, metadata } } };
}

function annotationsOf(workload: ExactObject): ExactObject {
  return mapAt(mapAt(mapAt(mapAt(workload, "spec"), "template"), "metadata"), "annotations");
}
