import type { ControllerSource } from "./controller-source.ts";

/**
 * A reflector for several `runControllers` of one process: it watches once, until the last of them has ended. A reflector
 * itself can be run only once.
 */
export function shareReflector(reflector: ControllerSource["reflector"]): ControllerSource["reflector"] {
  const ending = new AbortController();
  let users = 0;
  let running: Promise<void> | undefined;
  return {
    store: reflector.store,
    get hasSynced() {
      return reflector.hasSynced;
    },
    get problem() {
      return reflector.problem;
    },
    whenSynced: (signal) => reflector.whenSynced(signal),
    subscribe: (listener) => reflector.subscribe(listener),
    async run(signal) {
      users += 1;
      running ??= reflector.run(ending.signal);
      signal.addEventListener(
        "abort",
        () => {
          users -= 1;
          if (users === 0) ending.abort(signal.reason);
        },
        { once: true },
      );
      await running;
    },
  };
}
