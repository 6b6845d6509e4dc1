import { type Clock, type Logger, silentLogger, systemClock } from "#base";
import { openQueryableSource } from "#bundle";
import { type ManagedRun, manageIntegrations, type ManageOptions } from "#integrations";
import type { ManagerWorld } from "./manager-world.ts";

export interface RunningManager extends AsyncDisposable {
  /** All runs so far. */
  readonly runs: ManagedRun[];
  /** Calls to clusters so far, like `c1 PATCH /apis/...` or `c1 WATCH ...`; tests empty it. */
  readonly calls: string[];
  /** Waits for a run, from now on. */
  next(isMeant?: (run: ManagedRun) => boolean): Promise<ManagedRun>;
}

export interface RunningOptions extends Partial<Omit<ManageOptions, "source" | "desire" | "clusters">> {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Another one than the world's. */
  readonly kubeconfig?: string;
  /** Whether the directory of the data is watched; who watches looks at it once more at first. Default true. */
  readonly watchesData?: boolean;
}

/** The manager's loop on the world's data and first cluster, in this process. Resolves when it watches. */
export async function startManager(
  world: ManagerWorld,
  { kubeconfig = world.kubeconfig("c1"), watchesData = true, ...options }: RunningOptions = {},
): Promise<RunningManager> {
  const end = new AbortController();
  const runs: ManagedRun[] = [];
  const calls: string[] = [];
  const listeners = new Set<(run: ManagedRun) => void>();
  const { desire, memory } = await world.options();

  function next(isMeant: (run: ManagedRun) => boolean = () => true): Promise<ManagedRun> {
    return new Promise((resolve) => {
      const listener = (run: ManagedRun): void => {
        if (!isMeant(run)) return;
        listeners.delete(listener);
        resolve(run);
      };
      listeners.add(listener);
    });
  }

  const source = openQueryableSource(world.data.path);
  const unwatched = { description: source.description, load: (signal: AbortSignal) => source.load(signal) };
  const watching = next(({ why }) => why === "survey");
  const managing = manageIntegrations(
    {
      source: watchesData ? source : unwatched,
      desire: () => desire,
      memory,
      intervalMs: 600_000,
      retryMs: 10_000,
      clock: systemClock,
      random: () => 0.5,
      log: silentLogger,
      ...options,
      clusters: {
        everyCluster: { context: await world.contextOf("c1") },
        kubeconfig,
        wrap: (cluster, transport) => ({
          ...transport,
          send(request, signal) {
            calls.push(`${cluster} ${request.method} ${request.path}`);
            return transport.send(request, signal);
          },
          open(request, signal) {
            calls.push(`${cluster} WATCH ${request.path}`);
            return transport.open(request, signal);
          },
        }),
      },
      onRun(run) {
        runs.push(run);
        for (const listener of listeners) listener(run);
      },
    },
    end.signal,
  );
  await Promise.race([watching, managing]);
  return {
    runs,
    calls,
    next,
    async [Symbol.asyncDispose]() {
      end.abort(new Error("the test ends"));
      await managing;
    },
  };
}
