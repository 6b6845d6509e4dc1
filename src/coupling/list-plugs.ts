import type { Clock } from "#base";
import { keyOf } from "#kube";
import { parseSocket } from "./kinds/index.ts";
import { statusOf, writeStatus } from "./lifecycle/coupling-attempt.ts";
import { byUid, type CouplingDeps } from "./lifecycle/coupling-deps.ts";
import { unchanged } from "./lifecycle/plug-session.ts";
import { holdersOf } from "./lifecycle/release-socket.ts";
import { reportSocket } from "./lifecycle/report-status.ts";
import { recallRoster, Roster } from "./lifecycle/roster.ts";
import type { SocketSessions } from "./lifecycle/socket-session.ts";
import type { CouplingWakeups } from "./wake-coupling.ts";
import type { CouplingWatch } from "./watch-coupling.ts";

/**
 * A plug that is ready waits for other plugs of the same socket, to be listed by the same status write, as long as they keep
 * arriving: after a silence of this length, or of the last write if that was longer, the write starts. The roster waits longer
 * for plugs whose coupling takes long.
 */
const silenceMs = 50;

const longestGatherMs = 1_000;

/** The roster of all sockets, which lists their plugs in their status. */
export function createRoster(
  { sockets, freshPlugs, freshSockets }: CouplingWatch,
  sessions: SocketSessions,
  { wakePlug, wakeSocket }: CouplingWakeups,
  clock: Clock,
  deps: () => Pick<CouplingDeps, "client" | "clock" | "cluster" | "roster">,
): Roster {
  let lastWriteMs = 0;
  const find = (uid: string) => sockets.store.byIndex(byUid, uid).map(keyOf);
  return new Roster({
    async write(uid, coupled) {
      const [key] = find(uid);
      const latest = key === undefined ? undefined : freshSockets.get(key);
      if (key === undefined || !latest) return;
      const status = statusOf(latest, unchanged, deps());
      const holders = (): string[] => holdersOf(latest, deps()).map(keyOf);
      reportSocket(status, parseSocket(latest), coupled, holders, sessions.find(key)?.unready ?? []);
      const startedAt = clock.monotonic();
      await writeStatus(status, freshSockets);
      lastWriteMs = clock.monotonic() - startedAt;
    },
    recall: (uid) => recallRoster(uid, freshPlugs, freshSockets),
    gathering: { clock, silenceMs: () => Math.max(silenceMs, lastWriteMs), longestMs: longestGatherMs },
    onPlace: (key) => wakePlug.wake(key),
    onLeft: (uid) => find(uid).forEach((key) => wakeSocket.wake(key)),
  });
}
