import { keyOf } from "#kube";
import type { TrackedStatus } from "#runtime";
import type { Waiter } from "../apparatus/calls/apparatus-client.ts";
import { annotations, type CouplingEntry, type Socket } from "../kinds/index.ts";
import { saveProgress } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { performCreated } from "./own-stages.ts";
import { unchanged } from "./plug-session.ts";
import { isCreated } from "./unparsed-objects.ts";

/** The socket, as it waits for its own apparatus. */
export function waiterOf(socket: Socket, wake: (key: string) => void): Waiter {
  const { uid = "", annotations: given = {} } = socket.metadata;
  return { uid, retry: given[annotations.retry], redact: unchanged, wake: () => wake(keyOf(socket)) };
}

/** Runs the stage `created` once; plugs wait for it. */
export async function createSocket(
  own: { readonly object: Socket; readonly waiter: Waiter },
  status: TrackedStatus,
  deps: CouplingDeps,
  signal: AbortSignal,
): Promise<void> {
  const { object: socket } = own;
  if (isCreated(socket)) return;
  const plan = async (inventory: readonly CouplingEntry[]): Promise<void> => {
    status.set({ inventory });
    deps.claims.set(socket.metadata.uid ?? "", inventory);
    await saveProgress(status, deps.cluster.sockets);
  };
  const made = await performCreated(own, socket.status?.inventory ?? [], plan, deps, signal);
  if (made.length > 0) await plan(made);
}
