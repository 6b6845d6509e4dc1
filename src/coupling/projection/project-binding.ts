import { InputError } from "#base";
import { healthOf } from "#inventory";
import { ApiError, describeRef, type KubeClient, type KubeObject, refOf } from "#kube";
import {
  mountedReason,
  namespaceOf,
  type Plug,
  selectorText,
  warnings,
  type Workload,
  type WorkloadEntry,
  workloadVersion,
} from "../kinds/index.ts";
import { type CouplingAttempt, type PlugAttempt, saveProgress } from "../lifecycle/coupling-attempt.ts";
import type { CouplingDeps } from "../lifecycle/coupling-deps.ts";
import type { UnreadyObject } from "../lifecycle/report-status.ts";
import { clientOf } from "../lifecycle/side-actions.ts";
import {
  type Binding,
  type BindingFields,
  bindingFields,
  bindingManager,
  hasManager,
  isMounted,
  withoutBinding,
} from "./binding-fields.ts";
import { decideTurn, patienceMs, type ProjectedWorkload } from "./decide-turn.ts";

/** The plug's status has an entry for each. */
const mostWorkloads = 100;

/** What mounting the binding found. */
interface Projected {
  /** When to look again. */
  readonly restMs: number | undefined;
  readonly unready: readonly UnreadyObject[];
}

interface FoundWorkload extends ProjectedWorkload {
  readonly live: KubeObject;
  readonly fields: BindingFields;
}

/**
 * Mounts the binding in the workload that the plug names, one workload after the other, and takes it back from those that the
 * plug no longer names. All of it with the rights of the plug's service account. `follow` is called before anything is read.
 */
export async function projectBinding(
  attempt: CouplingAttempt,
  content: Pick<Binding, "keys" | "fingerprint">,
  follow: () => void,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Projected> {
  const { pair, session, memory, status } = attempt;
  const { plug } = pair;
  const { workload } = plug.spec;
  const { bindingName } = memory;
  if (!workload || bindingName === undefined) {
    session.projection.followed = [];
    await releaseWorkloads(attempt, deps, signal);
    status.removeCondition("Projected");
    return { restMs: undefined, unready: [] };
  }
  session.projection.followed = [followedOf(plug, workload)];
  follow();
  const client = clientOf(plug, deps);
  const { items, more } = await findWorkloads(plug, workload, client, signal);
  await release(
    attempt,
    memory.workloads.filter((entry) => !items.some((live) => isOf(entry, live))),
    deps,
    signal,
  );
  const binding = { plugName: plug.metadata.name, secretName: bindingName, workload, ...content };
  const found = items.map((live): FoundWorkload => {
    const fields = bindingFields(live, binding);
    const since = memory.workloads.find((entry) => isOf(entry, live))?.since;
    return {
      name: live.metadata.name,
      live,
      fields,
      isMounted: isMounted(live, fields),
      health: healthOf(live),
      since: since === undefined ? undefined : Date.parse(since),
    };
  });
  const turn = decideTurn(found, deps.clock.now());
  if (turn.next) return await mountNext(attempt, turn.next, turn.waiting, deps, signal);
  if (turn.restarting) return report(attempt, "Restarting", restartingText(turn.restarting, turn.waiting), turn.restMs);
  if (found.length === 0) return report(attempt, "WorkloadNotFound", absentText(plug, workload), undefined);
  const names = found.length === 1 ? describeRef(refOf(items[0] ?? plug)) : `${found.length} ${workload.kind}s`;
  const left =
    more > 0 ? `; ${more} more match, and at most ${mostWorkloads} get it: narrow spec.workload.selector` : "";
  status.setCondition({ type: "Projected", status: "True", reason: "Mounted", message: `mounted in ${names}${left}` });
  return { restMs: undefined, unready: [] };
}

/** A change of these wakes the plug. */
function followedOf(plug: Plug, { kind, name, selector }: Workload) {
  const place = { apiVersion: workloadVersion(kind), kind, namespace: namespaceOf(plug), side: "plug" as const };
  if (name !== undefined) return { ...place, name };
  const labelSelector = selectorText(selector ?? {});
  return { ...place, name: labelSelector, labelSelector };
}

async function findWorkloads(
  plug: Plug,
  { kind, name, selector }: Workload,
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly items: readonly KubeObject[]; readonly more: number }> {
  const place = { apiVersion: workloadVersion(kind), kind, namespace: namespaceOf(plug) };
  if (name !== undefined) {
    const found = await client.find({ ...place, name }, signal);
    return { items: found && isStaying(found) ? [found] : [], more: 0 };
  }
  const { items } = await client.list({ ...place, labelSelector: selectorText(selector ?? {}) }, signal);
  const staying = items.filter(isStaying).toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  return { items: staying.slice(0, mostWorkloads), more: Math.max(0, staying.length - mostWorkloads) };
}

function isStaying({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isOf({ kind, name }: WorkloadEntry, live: KubeObject): boolean {
  return live.kind === kind && live.metadata.name === name;
}

/** The entry is saved before the workload is changed, so that a kill leaves no unknown mount behind. */
async function mountNext(
  attempt: CouplingAttempt,
  { live, fields }: FoundWorkload,
  waiting: number,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<Projected> {
  const { pair, session, memory, status } = attempt;
  const { plug } = pair;
  const name = describeRef(refOf(live));
  const { hash } = fields;
  const others = memory.workloads.filter((entry) => !isOf(entry, live));
  const isAgain = memory.workloads.some((entry) => isOf(entry, live) && entry.hash === hash);
  const loop = session.projection.repairsOf(`${live.kind}/${live.metadata.name}`);
  if (isAgain && loop.restMs > 0) {
    const message = `others keep removing the binding from ${name}; Tenon waits longer and longer, up to 5 minutes, before it mounts it again`;
    deps.report.events.Plug.record(plug, { type: "Warning", reason: warnings.repairLoop, message });
    return report(attempt, "RemovedAgain", message, loop.restMs);
  }
  if (isAgain) loop.note();
  const since = new Date(deps.clock.now()).toISOString();
  const { kind, metadata } = live;
  if (!isWorkloadKind(kind)) throw new TypeError(`${kind} is not the kind of a workload`);
  memory.workloads = [...others, { kind, name: metadata.name, hash, since }];
  await saveProgress(status, deps.cluster.plugs);
  const fieldManager = bindingManager(plug.metadata.name);
  await clientOf(plug, deps).apply(fields.object, { fieldManager }, signal);
  const message = `the binding is mounted in ${name}${kind === "CronJob" ? "" : ", whose pods restart"}`;
  deps.report.events.Plug.record(plug, { type: "Normal", reason: mountedReason, message });
  const wait = `${name}: the binding was just mounted${waitingText(waiting)}`;
  return report(attempt, "Restarting", wait, kind === "CronJob" ? 1 : patienceMs);
}

function isWorkloadKind(kind: string): kind is WorkloadEntry["kind"] {
  return kind === "Deployment" || kind === "StatefulSet" || kind === "DaemonSet" || kind === "CronJob";
}

function report(
  { status }: CouplingAttempt,
  reason: "Restarting" | "WorkloadNotFound" | "RemovedAgain",
  message: string,
  restMs: number | undefined,
): Projected {
  status.setCondition({ type: "Projected", status: "False", reason, message });
  return { restMs, unready: [{ message, hasFailed: false, isRequired: true }] };
}

function restartingText({ live, health }: FoundWorkload, waiting: number): string {
  const why = health.is === "failed" ? health.why : health.is === "pending" ? health.missing : "";
  return `${describeRef(refOf(live))} restarts with the binding: ${why}${waitingText(waiting)}`;
}

function waitingText(waiting: number): string {
  return waiting === 0
    ? ""
    : `; ${waiting} more ${waiting === 1 ? "waits" : "wait"} for ${waiting === 1 ? "its" : "their"} turn`;
}

function absentText(plug: Plug, { kind, name, selector }: Workload): string {
  if (name !== undefined) {
    return `${describeRef({ kind, namespace: namespaceOf(plug), name })} of spec.workload does not exist yet`;
  }
  return `no ${kind} in namespace ${namespaceOf(plug)} has the labels of spec.workload: ${selectorText(selector ?? {})}`;
}

/** Takes the binding back from all workloads that have it. */
export async function releaseWorkloads(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<void> {
  await release(attempt, attempt.memory.workloads, deps, signal);
  attempt.session.projection.followed = [];
}

/** A workload that the service account may no longer change keeps the binding, and an Event says so: a plug can always leave. */
async function release(
  { plug, memory }: PlugAttempt,
  entries: readonly WorkloadEntry[],
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const client = clientOf(plug, deps);
  const fieldManager = bindingManager(plug.metadata.name);
  for (const entry of entries) {
    const { kind, name } = entry;
    const ref = { apiVersion: workloadVersion(kind), kind, namespace: namespaceOf(plug), name };
    try {
      const live = await client.find(ref, signal);
      if (live && isStaying(live) && hasManager(live, fieldManager)) {
        await client.apply(withoutBinding(live), { fieldManager }, signal);
      }
    } catch (error) {
      if (!isFinal(error)) throw error;
      const message = `${describeRef(ref)} keeps the binding of this plug, because it could not be taken back: ${describeBriefly(error)}`;
      deps.report.events.Plug.record(plug, { type: "Warning", reason: warnings.bindingLeft, message });
    }
    memory.workloads = memory.workloads.filter((other) => other !== entry);
  }
}

/** To try again would not help. */
function isFinal(error: unknown): error is Error {
  return error instanceof InputError || (error instanceof ApiError && (error.isForbidden || error.status === 422));
}

/** Without the Role that would allow it. */
function describeBriefly({ message }: Error): string {
  return message.replace(/; to allow it, apply this[\s\S]*/, "");
}
