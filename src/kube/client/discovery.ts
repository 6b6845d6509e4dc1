import { type Clock, InputError, systemClock } from "#base";
import { abortable } from "../transport/abortable.ts";
import { ApiCatalog } from "./api-catalog.ts";
import { ApiError } from "../transport/api-error.ts";
import { type ApiGroup, type ApiResource, readApiGroups } from "./api-group.ts";
import type { KindRef } from "./object.ts";
import type { Transport } from "../transport/transport.ts";

/**
 * The APIs that a cluster serves, read once and cached. A failed lookup reads them again, at most every 10 s; concurrent
 * lookups share one request. An aggregated API that is down does not affect lookups of other kinds.
 */
export interface Discovery {
  /** Throws `InputError` for a kind that the cluster does not have, and says what was probably meant. */
  find(kind: KindRef, signal?: AbortSignal): Promise<ApiResource>;
  /** As people write it: `deploy`, `deployments`, `Deployment`, `deployments.apps`, `deployments.v1.apps`. */
  findByName(name: string, signal?: AbortSignal): Promise<ApiResource>;
  /** Undefined for a group that the cluster does not have. */
  preferredVersion(group: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Every kind in each of its versions. */
  resources(signal?: AbortSignal): Promise<readonly ApiResource[]>;
  /** Reads the APIs again now; for callers that have just installed a CustomResourceDefinition. */
  refresh(signal?: AbortSignal): Promise<void>;
  /**
   * Waits until the cluster serves a kind: discovery learns of a CustomResourceDefinition some time after it is
   * Established. The signal ends the wait.
   */
  whenServed(kind: KindRef, signal: AbortSignal): Promise<ApiResource>;
  /** A path made from the cache was not found on the server: the next lookup may read the APIs again. */
  distrust(): void;
}

const shortestAgeMs = 10_000;
const askForServedMs = 100;
const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export function createDiscovery(
  transport: Pick<Transport, "send" | "cluster">,
  { clock = systemClock }: { readonly clock?: Pick<Clock, "monotonic" | "sleep"> } = {},
): Discovery {
  let kept: { readonly catalog: ApiCatalog; readonly at: number } | undefined;
  let loading: Promise<ApiCatalog> | undefined;
  let isDistrusted = false;

  function load(): Promise<ApiCatalog> {
    loading ??= ask().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function ask(): Promise<ApiCatalog> {
    const [core, named] = await Promise.all([readGroups(transport, "/api"), readGroups(transport, "/apis")]);
    const catalog = new ApiCatalog(transport.cluster, [...core, ...named]);
    kept = { catalog, at: clock.monotonic() };
    isDistrusted = false;
    return catalog;
  }

  /** Undefined while the last read is too recent. */
  function askAgain(): Promise<ApiCatalog> | undefined {
    const isEarly = kept !== undefined && clock.monotonic() - kept.at < shortestAgeMs;
    return loading ?? (isEarly ? undefined : load());
  }

  async function current(signal: AbortSignal | undefined): Promise<ApiCatalog> {
    signal?.throwIfAborted();
    const again = !kept || isDistrusted ? askAgain() : undefined;
    if (again) return await abortable(again, signal);
    return kept?.catalog ?? (await abortable(load(), signal));
  }

  async function lookUp<Found>(
    find: (catalog: ApiCatalog) => Found | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly found?: Found; readonly catalog: ApiCatalog }> {
    const before = await current(signal);
    const found = find(before);
    if (found !== undefined) return { found, catalog: before };
    const again = askAgain();
    if (!again) return { catalog: before };
    const catalog = await abortable(again, signal);
    const foundAgain = find(catalog);
    return foundAgain === undefined ? { catalog } : { found: foundAgain, catalog };
  }

  async function refreshed(signal: AbortSignal | undefined): Promise<ApiCatalog> {
    // A read in flight may return a state older than what the caller knows.
    await abortable(Promise.allSettled([loading]), signal);
    return await abortable(load(), signal);
  }

  return {
    async find(kind, signal) {
      const { found, catalog } = await lookUp((candidates) => candidates.find(kind), signal);
      if (!found) throw catalog.explainMissing(kind);
      return found;
    },
    async findByName(name, signal) {
      const { found, catalog } = await lookUp((candidates) => candidates.findByName(name), signal);
      if (!found) throw catalog.explainUnknownName(name);
      return found;
    },
    async preferredVersion(group, signal) {
      return (await lookUp((candidates) => candidates.preferredVersion(group), signal)).found;
    },
    async resources(signal) {
      return (await current(signal)).resources;
    },
    async refresh(signal) {
      await refreshed(signal);
    },
    async whenServed(kind, signal) {
      for (;;) {
        const found = (await current(signal)).find(kind) ?? (await refreshed(signal)).find(kind);
        if (found) return found;
        await clock.sleep(askForServedMs, signal);
      }
    },
    distrust() {
      isDistrusted = true;
    },
  };
}

async function readGroups(
  transport: Pick<Transport, "send" | "cluster">,
  path: "/api" | "/apis",
): Promise<readonly ApiGroup[]> {
  const groups = readApiGroups(await fetchGroups(transport, path));
  if (groups) return groups;
  throw new InputError(`the API server does not offer aggregated discovery (apidiscovery.k8s.io/v2) at ${path}`, {
    where: `cluster ${transport.cluster}`,
    next: "Tenon needs Kubernetes 1.30 or later",
  });
}

/** A server that does not know the media type answers 406 Not Acceptable. */
async function fetchGroups(transport: Pick<Transport, "send">, path: string): Promise<unknown> {
  try {
    const { body } = await transport.send({ method: "GET", path, headers: { accept } });
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof ApiError && error.status === 406) return undefined;
    throw error;
  }
}
