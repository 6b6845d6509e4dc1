import { type Clock, LeastRecentlyUsed } from "#base";
import type { ClientContext, ServerWarning } from "./client-context.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import { type ObjectReader, objectReader } from "./read-objects.ts";
import type { Identity, Transport } from "../transport/transport.ts";
import { reviewSelf, type UserInfo } from "./reviews.ts";
import { type ObjectWriter, objectWriter } from "./write-objects.ts";

/**
 * One cluster, seen by one identity. Names are checked before anything is sent: a name that would change the meaning of
 * a path is an `InputError`.
 */
export interface KubeClient extends ObjectReader, ObjectWriter {
  readonly transport: Transport;
  /** Shared by all identities of the cluster. */
  readonly discovery: Discovery;
  /** The same cluster as another identity. Returns the same client for the same identity. */
  impersonate(identity: Identity): KubeClient;
  /** Who the API server thinks is calling. */
  whoAmI(signal?: AbortSignal): Promise<UserInfo>;
}

export interface ClientOptions {
  readonly clock?: Pick<Clock, "monotonic" | "sleep">;
  /** Called with the server's warnings about deprecated versions and suspicious fields. */
  readonly onWarning?: (warning: ServerWarning) => void;
}

/** Clients hold no connections, so a dropped one is cheap to create again. */
const keptIdentities = 1000;

export function createClient(transport: Transport, { clock, onWarning }: ClientOptions = {}): KubeClient {
  const discovery = createDiscovery(transport, clock ? { clock } : {});
  const clients = new LeastRecentlyUsed<string, KubeClient>(keptIdentities);

  function clientOn(actingTransport: Transport): KubeClient {
    const context: ClientContext = { transport: actingTransport, discovery, onWarning };
    return {
      transport: actingTransport,
      discovery,
      ...objectReader(context),
      ...objectWriter(context),
      impersonate: (identity) => clients.get(identityKey(identity), () => clientOn(transport.impersonate(identity))),
      whoAmI: (signal) => reviewSelf(actingTransport, signal),
    };
  }

  return clientOn(transport);
}

/** The order of groups means nothing to the server. */
function identityKey({ user, groups = [], uid, extra = {} }: Identity): string {
  return JSON.stringify([
    user,
    groups.toSorted(),
    uid ?? "",
    Object.entries(extra).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}
