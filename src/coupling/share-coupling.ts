import type { ApparatusClient } from "./apparatus/calls/apparatus-client.ts";
import type { CouplingOptions } from "./coupling-options.ts";
import { createReport, type FullReport } from "./create-report.ts";
import type { CouplingDeps } from "./lifecycle/coupling-deps.ts";
import { Fingerprint } from "./lifecycle/fingerprint.ts";
import { PlugSessions } from "./lifecycle/plug-session.ts";
import { createReadSlots } from "./lifecycle/read-inputs.ts";
import { SocketSessions } from "./lifecycle/socket-session.ts";
import { createRoster } from "./list-plugs.ts";
import { recallClaims } from "./recall-claims.ts";
import type { CouplingWakeups } from "./wake-coupling.ts";
import type { CouplingWatch } from "./watch-coupling.ts";

/** What the controllers share, and what is kept about each plug and socket. */
interface SharedCoupling {
  readonly deps: CouplingDeps & { readonly report: FullReport };
  readonly plugSessions: PlugSessions;
  readonly socketSessions: SocketSessions;
}

export function shareCoupling(
  options: CouplingOptions,
  watch: CouplingWatch,
  wakeups: CouplingWakeups,
  apparatus: ApparatusClient,
): SharedCoupling {
  const { client, clock, random, allowClusterScoped = false, mayWrite = () => true } = options;
  const { freshPlugs, freshSockets, covers, namespaces, secrets, configMaps } = watch;
  const plugSessions = new PlugSessions({ resume: (key) => wakeups.resumePlug.wake(key), clock });
  const socketSessions = new SocketSessions(wakeups.ofSockets, clock);
  const deps: SharedCoupling["deps"] = {
    client,
    clock,
    random,
    cluster: {
      plugs: freshPlugs,
      sockets: freshSockets,
      covers,
      namespace: (name) => namespaces.store.get(name),
      metadataStores: { Secret: secrets.store, ConfigMap: configMaps.store },
      allowClusterScoped,
      mayWrite,
    },
    report: createReport(options, plugSessions),
    roster: createRoster(watch, socketSessions, wakeups, clock, () => deps),
    claims: recallClaims(watch, wakeups),
    inputs: { watches: wakeups.ofPlugs, slots: createReadSlots() },
    fingerprint: new Fingerprint(options.fingerprintKey),
    apparatus,
  };
  return { deps, plugSessions, socketSessions };
}
