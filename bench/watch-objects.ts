import { systemClock } from "#base";
import { createReflector, type KubeClient, type KubeObject, keyOf, type ObjectSelection } from "#kube";

/** The objects of one kind, kept up to date by a watch. */
export interface ObjectWatch extends AsyncDisposable {
  /** Resolves as soon as `count` of them match, with the time. */
  until(isSo: (object: KubeObject) => boolean, count?: number): Promise<number>;
  /** Resolves as soon as one that matches is gone, with the time. */
  untilGone(isIt: (object: KubeObject) => boolean): Promise<number>;
}

export async function watchObjects(client: KubeClient, selection: ObjectSelection): Promise<ObjectWatch> {
  const ending = new AbortController();
  const reflector = createReflector({ client, selection, clock: systemClock, random: Math.random });
  const running = reflector.run(ending.signal);
  await reflector.whenSynced();
  return {
    until(isSo, count = 1) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const matching = new Set<string>();
      const check = (object: KubeObject): void => {
        if (isSo(object)) matching.add(keyOf(object));
        else matching.delete(keyOf(object));
        if (matching.size >= count) resolve(Date.now());
      };
      const listening = reflector.subscribe(({ object }) => check(object));
      for (const object of reflector.store.list()) check(object);
      return promise.finally(() => listening[Symbol.dispose]());
    },
    untilGone(isIt) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const listening = reflector.subscribe(({ type, object }) => {
        if (type === "deleted" && isIt(object)) resolve(Date.now());
      });
      return promise.finally(() => listening[Symbol.dispose]());
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the benchmark is over"));
      await running;
    },
  };
}
