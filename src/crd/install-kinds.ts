import { type Clock, ConflictError, InputError, systemClock } from "#base";
import {
  ApiError,
  defaultFieldManager,
  describeRef,
  type FieldConflict,
  FieldConflictError,
  type KubeClient,
  type KubeObject,
  refOf,
} from "#kube";
import { type CustomResourceDefinition, toCustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Kind } from "./define-kind.ts";
import { type LiveCondition, type LiveDefinition, readLiveDefinition } from "./live-definition.ts";
import { planInstall } from "./plan-install.ts";
import { findViolations, type Violations } from "./stored-objects.ts";

export interface InstallOptions {
  /** How long to wait until a kind is served; default 30 s each. */
  readonly timeoutMs?: number;
  /** Field managers whose fields Tenon may take over. */
  readonly takeOverFrom?: readonly string[];
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export interface Installed {
  readonly crdName: string;
  readonly change: "installed" | "upgraded" | "unchanged";
  /** Stored objects that the new definition would refuse; they stay as they are. */
  readonly violations: Violations;
}

type InstallClient = Pick<KubeClient, "find" | "apply" | "pages">;

/**
 * Installs and upgrades the definitions of these kinds, all at once, and waits until they are served.
 * Writes nothing if nothing changed. If one kind fails, the others are installed all the same.
 */
export async function installKinds(
  client: InstallClient,
  kinds: readonly Kind[],
  options: InstallOptions = {},
): Promise<readonly Installed[]> {
  const results = await Promise.allSettled(kinds.map((kind) => installKind(client, kind, options)));
  const failures: unknown[] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} kinds could not be installed`);
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

async function installKind(client: InstallClient, kind: Kind, options: InstallOptions): Promise<Installed> {
  const { timeoutMs = 30_000, takeOverFrom = [], clock = systemClock, signal } = options;
  const { crdName } = kind;
  const definition = toCustomResourceDefinition(kind);
  signal?.throwIfAborted();
  const live = await findDefinition(client, definition, signal);
  refuseTerminating(live);
  const action = planInstall(definition, live);
  const wait = { clock, timeoutMs, signal };
  if (live && action === "leave") {
    await waitEstablished(client, definition, live, wait);
    return { crdName, change: "unchanged", violations: { count: 0, examples: [] } };
  }
  const violations = live ? await findViolations(client, kind, live, signal) : { count: 0, examples: [] };
  const applied = readLiveDefinition(await applyDefinition(client, definition, takeOverFrom, signal));
  await waitEstablished(client, definition, applied, wait);
  return { crdName, change: live ? "upgraded" : "installed", violations };
}

async function findDefinition(
  client: InstallClient,
  definition: CustomResourceDefinition,
  signal: AbortSignal | undefined,
): Promise<LiveDefinition | undefined> {
  const found = await client.find(refOf(definition), signal);
  return found && readLiveDefinition(found);
}

/** A definition is removed after all its objects, and a finalizer of one of them may hold that up. */
function refuseTerminating(live: LiveDefinition | undefined): void {
  const since = live?.metadata.deletionTimestamp;
  if (live && since !== undefined) {
    throw new Error(
      `CustomResourceDefinition ${live.metadata.name}: is being deleted since ${since} and can be installed once it is gone; look for objects of its kind that still have finalizers`,
    );
  }
}

/** Applies the definition. Takes fields over from other managers only if all of these managers are listed. */
async function applyDefinition(
  client: InstallClient,
  definition: CustomResourceDefinition,
  takeOverFrom: readonly string[],
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  const where = describeRef(refOf(definition));
  try {
    return await client.apply(definition, { fieldManager: defaultFieldManager }, signal);
  } catch (error) {
    if (error instanceof ApiError && error.isInvalid) throw new InputError(error.message, { where, cause: error });
    if (!(error instanceof FieldConflictError)) throw error;
    const owners = [...new Set(error.conflicts.map(({ manager }) => manager))].toSorted();
    if (owners.some((owner) => !takeOverFrom.includes(owner))) {
      throw new ConflictError(`${summarizeFields(error.conflicts)} would change`, {
        owner: owners.join(", "),
        where,
        next: `leave the definition to them, or take it over from ${owners.join(", ")}`,
        cause: error,
      });
    }
  }
  return await client.apply(definition, { fieldManager: defaultFieldManager, force: true }, signal);
}

function summarizeFields(conflicts: readonly FieldConflict[]): string {
  const fields = [...new Set(conflicts.map(({ field }) => field.replace(/^\./, "")))].toSorted();
  return `${fields.slice(0, 3).join(", ")}${fields.length > 3 ? " and more" : ""}`;
}

const firstPauseMs = 20;
const longestPauseMs = 1000;

/** Waits until the API server serves the kind. */
async function waitEstablished(
  client: InstallClient,
  definition: CustomResourceDefinition,
  first: LiveDefinition,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  const end = clock.monotonic() + timeoutMs;
  const where = describeRef(refOf(definition));
  let live: LiveDefinition | undefined = first;
  for (let pause = firstPauseMs; !isEstablished(live, where); pause = Math.min(pause * 2, longestPauseMs)) {
    const left = end - clock.monotonic();
    if (left <= 0) throw new Error(`${where}: not Established after ${timeoutMs / 1000} s; ${lastSeen(live)}`);
    await clock.sleep(Math.min(pause, left), signal);
    live = await findDefinition(client, definition, signal);
  }
}

function isEstablished(live: LiveDefinition | undefined, where: string): boolean {
  const accepted = conditionOf(live, "NamesAccepted");
  if (accepted?.status === "False") {
    throw new InputError(`the API server does not accept its names: ${accepted.message} (${accepted.reason})`, {
      where,
      next: "choose other names, or delete the definition that has them",
    });
  }
  return accepted?.status === "True" && conditionOf(live, "Established")?.status === "True";
}

function conditionOf(live: LiveDefinition | undefined, type: string): LiveCondition | undefined {
  return live?.status.conditions.find((condition) => condition.type === type);
}

function lastSeen(live: LiveDefinition | undefined): string {
  if (!live) return "it was deleted meanwhile";
  const states = ["NamesAccepted", "Established"].map((type) => {
    const condition = conditionOf(live, type);
    return condition
      ? `${type} is ${condition.status} (${condition.reason}: ${condition.message})`
      : `${type} is not set`;
  });
  return `last seen: ${states.join(", ")}`;
}
