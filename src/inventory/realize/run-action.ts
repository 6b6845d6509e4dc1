import { type Logger, redact } from "#base";
import { ApiError, ConnectionError, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import { type InventoryMetrics, inventoryMetrics } from "../inventory-metrics.ts";
import { annotation, successorLabel } from "../object/attribution.ts";
import type { Action } from "../plan/plan.ts";
import { applyObject, attempts, checkUnchanged } from "./apply-object.ts";
import { explainFailure } from "./explain-failure.ts";
import { type ActionOutcome, NotDone } from "./outcome.ts";
import type { RealizeContext, RealizeSettings } from "./realize-options.ts";
import { Recycler } from "./recycle.ts";
import { createWriter, type Writer } from "./writer.ts";
import { clusterScope } from "../resource-inventory.ts";

/** After so many objects in a row without an answer the cluster is given up: each more would wait for its timeout. */
const patience = 3;

const stoppedMidway = {
  state: "failed",
  reason: "the run was stopped while it was in progress: it may be done or not",
  next: "plan again to see what is left",
} as const;

/** Carries out single actions on one cluster, reports them, and remembers which pods have to be restarted. */
export class ActionRunner {
  readonly #cluster: string;
  readonly #settings: RealizeSettings;
  readonly #log: Logger;
  readonly #metrics: InventoryMetrics;
  readonly #left = new Map<string, Promise<readonly KubeObject[]>>();
  readonly #recycler = new Recycler();
  readonly #restartAt: string;
  #unanswered = 0;

  constructor(cluster: string, settings: RealizeSettings) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#log = settings.log.child({ cluster });
    this.#metrics = inventoryMetrics(settings.metrics);
    this.#restartAt = new Date(settings.clock.now()).toISOString();
  }

  /** Nothing is begun after `stop`; `signal` ends what has begun. */
  async run(action: Action, stop: AbortSignal, signal: AbortSignal): Promise<ActionOutcome> {
    if (stop.aborted) return notTried(action, { state: "skipped", reason: "the run was stopped before" });
    if (this.#unanswered >= patience) {
      return notTried(action, { state: "failed", reason: `cluster ${this.#cluster} no longer answers` });
    }
    const client = this.#settings.clusters.get(this.#cluster, { privileged: action.privileged });
    if (!client) return notTried(action, { state: "failed", reason: "there is no client for it" });
    const context = this.#contextFor(action, client, signal);
    const address = addressOf(action);
    const state = this.#settings.dryRun ? "planned" : "done";
    try {
      await this.#carryOut(action, context, signal);
      this.#unanswered = 0;
      return { ...address, state, calls: context.writer.calls };
    } catch (error) {
      if (signal.aborted) return { ...address, ...stoppedMidway, calls: context.writer.calls };
      this.#unanswered = error instanceof ConnectionError ? this.#unanswered + 1 : 0;
      return { ...address, ...this.#explain(action, error), calls: context.writer.calls };
    }
  }

  /** Not done, for a reason that was found before. */
  fail(action: Action, error: unknown): ActionOutcome {
    return notTried(action, this.#explain(action, error));
  }

  /** Not deleted, because something failed that it may have to do with. */
  withhold(action: Action): ActionOutcome {
    this.#log.error("delete withheld", this.#fieldsOf(action));
    const what = action.attribution === undefined ? "something" : `something of ${action.attribution}`;
    const reason = `${what} failed on this cluster, so nothing of it is deleted`;
    return notTried(action, { state: "skipped", reason, next: "fix the failure, then run again" });
  }

  /** Looks whose pods use what has changed in the namespace; before what uses it is changed too. */
  async findUsers(namespace: string, signal: AbortSignal): Promise<void> {
    await this.#recycler.findUsers(namespace, signal);
  }

  /** Restarts them. Gives back what was done, but for that. */
  async recycle(signal: AbortSignal): Promise<ReadonlyMap<Action, Pick<ActionOutcome, "state" | "reason" | "next">>> {
    return await this.#recycler.restart(signal);
  }

  async #carryOut(action: Action, context: RealizeContext, signal: AbortSignal): Promise<void> {
    const { events } = this.#settings;
    if (action.action === "delete") {
      await this.#delete(action, context, signal);
      return;
    }
    context.audit("apply");
    const applied = await applyObject(action, context, signal);
    this.#recycler.note(action, applied, context);
    this.#measure(action, applied);
    if (context.dryRun || action.action === "create") return;
    const reason = action.action === "adopt" ? "Adopted" : "Applied";
    events?.(this.#cluster)?.record(applied, { type: "Normal", reason, message: action.reason });
  }

  async #delete(action: Action, context: RealizeContext, signal: AbortSignal): Promise<void> {
    const { client, writer, integration } = context;
    context.audit("delete");
    for (let attempt = 1; ; attempt += 1) {
      const live = await client.find({ ...refOf(action), metadataOnly: true }, signal);
      // An object that is gone or being deleted is as desired.
      if (!live || live.metadata.deletionTimestamp !== undefined) return;
      const { uid, resourceVersion } = checkUnchanged(action.expected, live, integration).metadata;
      try {
        await writer.delete(refOf(action), { uid, resourceVersion }, signal);
        this.#measure(action, live);
        return;
      } catch (error) {
        if (attempt === attempts || !(error instanceof ApiError && error.isConflict)) throw error;
      }
    }
  }

  #explain(action: Action, error: unknown): Pick<ActionOutcome, "state" | "reason" | "next"> {
    const { cluster, namespace } = action;
    const fields = this.#fieldsOf(action);
    if (error instanceof NotDone) {
      const { state, next } = error;
      const reason = redact(error.message);
      this.#log.error(`[${cluster}/${namespace}] ${reason}`, fields);
      return { state, reason, next };
    }
    const { reason, next } = explainFailure(error, action);
    this.#log.error(`[${cluster}/${namespace}] ${reason}`, fields);
    this.#warnAbout(action, reason);
    return { state: "failed", reason, next };
  }

  #warnAbout(action: Action, message: string): void {
    const { expected, apiVersion, kind, name, namespace } = action;
    if (!expected) return;
    const place = namespace === clusterScope ? {} : { namespace };
    const about = { apiVersion, kind, metadata: { name, ...place, uid: expected.uid } };
    const reason = action.action === "delete" ? "DeleteFailed" : "ApplyFailed";
    this.#settings.events?.(this.#cluster)?.record(about, { type: "Warning", reason, message });
  }

  /** How long after the commit of the data the change arrived. */
  #measure({ action, kind, name, namespace }: Action, { metadata: { annotations = {} } }: KubeObject): void {
    const { committedAt, slowAfterSeconds = Infinity, clock, plan, dryRun } = this.#settings;
    if (dryRun || !committedAt || annotations[annotation.ignoreReconcileTime] === "true") return;
    const seconds = (clock.now() - committedAt.getTime()) / 1000;
    const verb = action === "delete" ? "delete" : "apply";
    this.#metrics.arrived({ name: verb, integration: plan.integration, seconds });
    if (seconds > slowAfterSeconds) {
      this.#log.info("change took long to arrive", { verb, namespace, kind, name, seconds, committedAt });
    }
  }

  #contextFor(
    action: Pick<Action, "namespace" | "kind" | "name" | "privileged">,
    client: KubeClient,
    signal: AbortSignal,
  ): RealizeContext {
    const { plan, fieldManager, dryRun, clock, waitForNamespace, waitMs } = this.#settings;
    const { integration } = plan;
    const { namespace, kind, name } = action;
    const onCall = () => this.#metrics.called(integration);
    const writer: Writer = createWriter({ client, fieldManager, dryRun, onCall });
    const privileged = `privileged=${action.privileged ? "True" : "False"}`;
    return {
      client,
      writer,
      fieldManager,
      integration,
      clock,
      log: this.#log,
      dryRun,
      waitForNamespace,
      waitMs,
      restartAt: this.#restartAt,
      audit: (verb, ...more) => {
        const isPlain = verb === "apply" || verb === "delete";
        const object = more.length > 0 ? [this.#cluster, namespace, ...more] : [this.#cluster, namespace, kind, name];
        const line = [verb, ...(isPlain ? [privileged] : []), ...object];
        this.#log.info(verb, { line, plan: plan.id, dryRun });
      },
      leftReplicaSets: (place) => {
        const known = this.#left.get(place) ?? listLeft(client, place, signal);
        this.#left.set(place, known);
        return known;
      },
    };
  }

  #fieldsOf({ namespace, kind, name, action }: Action): Record<string, unknown> {
    return { namespace, kind, name, action, plan: this.#settings.plan.id };
  }
}

/** An outcome without any call. */
export function notTried(action: Action, what: Pick<ActionOutcome, "state" | "reason" | "next">): ActionOutcome {
  return { ...addressOf(action), ...what, calls: [] };
}

function addressOf({ action, cluster, namespace, apiVersion, kind, name, privileged = false }: Action) {
  return { action, cluster, namespace, apiVersion, kind, name, privileged };
}

function refOf({ apiVersion, kind, namespace, name }: Action): ObjectRef {
  return { apiVersion, kind, name, ...(namespace === clusterScope ? {} : { namespace }) };
}

async function listLeft(client: KubeClient, namespace: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const marked = { apiVersion: "apps/v1", kind: "ReplicaSet", namespace, labelSelector: successorLabel };
  try {
    return (await client.list({ ...marked, metadataOnly: true }, signal)).items;
  } catch (error) {
    // Without the right to see ReplicaSets there was none to mark them either.
    if (error instanceof ApiError && error.isForbidden) return [];
    throw error;
  }
}
