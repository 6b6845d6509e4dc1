import { type Clock, systemClock } from "#base";
import { applyDefinition } from "./apply-definition.ts";
import type { CrdApi } from "./crd-api.ts";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Kind } from "./define-kind.ts";
import { type LiveDefinition, readLiveDefinition, refOf } from "./live-definition.ts";
import { planInstall } from "./plan-install.ts";
import { findViolations, type Violations } from "./stored-objects.ts";
import { waitEstablished } from "./wait-established.ts";

export interface InstallOptions {
  /** For each kind to be served. */
  readonly timeoutMs?: number;
  /** Field managers that may lose fields to us. */
  readonly takeOverFrom?: readonly string[];
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export interface Installed {
  readonly crdName: string;
  readonly change: "installed" | "upgraded" | "unchanged";
  /** Objects that are stored and that the new definition would refuse; they stay as they are. */
  readonly violations: Violations;
}

/**
 * Installs and upgrades the definitions of these kinds, all at once, and waits until they are served.
 * Writes nothing where nothing changed. A kind that fails keeps none of the others from being installed.
 */
export async function installKinds(
  api: CrdApi,
  kinds: readonly Kind[],
  options: InstallOptions = {},
): Promise<readonly Installed[]> {
  const results = await Promise.allSettled(kinds.map((kind) => installKind(api, kind, options)));
  const failures: unknown[] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} kinds could not be installed`);
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

async function installKind(api: CrdApi, kind: Kind, options: InstallOptions): Promise<Installed> {
  const { timeoutMs = 30_000, takeOverFrom = [], clock = systemClock, signal } = options;
  const { crdName } = kind;
  const definition = toCustomResourceDefinition(kind);
  signal?.throwIfAborted();
  const found = await api.find(refOf(definition), signal);
  const live = found === undefined ? undefined : readLiveDefinition(found);
  refuseTerminating(live);
  const action = planInstall(definition, live);
  const wait = { clock, timeoutMs, ...(signal ? { signal } : {}) };
  if (live && action === "leave") {
    await waitEstablished(api, definition, live, wait);
    return { crdName, change: "unchanged", violations: { count: 0, examples: [] } };
  }
  const violations = live ? await findViolations(api, kind, live, signal) : { count: 0, examples: [] };
  const applied = readLiveDefinition(await applyDefinition(api, definition, takeOverFrom, signal));
  await waitEstablished(api, definition, applied, wait);
  return { crdName, change: live ? "upgraded" : "installed", violations };
}

/** A definition goes once all its objects are gone, which may hang on a finalizer of one of them. */
function refuseTerminating(live: LiveDefinition | undefined): void {
  const since = live?.metadata.deletionTimestamp;
  if (live && since !== undefined) {
    throw new Error(
      `CustomResourceDefinition ${live.metadata.name}: is being deleted since ${since} and can be installed once it is gone; look for objects of its kind that still have finalizers`,
    );
  }
}
