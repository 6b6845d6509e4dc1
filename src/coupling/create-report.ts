import { createEventRecorder, type EventRecorder, type KubeObject } from "#kube";
import { couplingMetrics } from "./coupling-metrics.ts";
import type { CouplingOptions } from "./coupling-options.ts";
import { reporters } from "./kinds/index.ts";
import type { CouplingReport } from "./lifecycle/coupling-deps.ts";
import type { PlugSessions } from "./lifecycle/plug-session.ts";

/** The log, the metrics and the Events of all kinds. */
export interface FullReport extends CouplingReport {
  readonly events: Readonly<Record<keyof typeof reporters, EventRecorder>>;
}

export function createReport(options: CouplingOptions, sessions: PlugSessions): FullReport {
  const { client, clock, random, log, metrics, instance } = options;
  const redactFor = (object: KubeObject) => sessions.redactFor(object);
  const recorderOf = (kind: keyof typeof reporters): EventRecorder => {
    const reporter = { controller: `tenon.dev/${reporters[kind]}`, instance };
    return createEventRecorder(client, { reporter, clock, random, logger: log, redactFor });
  };
  const events = {
    Plug: recorderOf("Plug"),
    Socket: recorderOf("Socket"),
    DeferredResource: recorderOf("DeferredResource"),
  };
  return { log, metrics: couplingMetrics(metrics), events };
}
