import { systemClock } from "#base";
import { createReflector, type KubeClient, type KubeObject, keyOf, type ObjectSelection } from "#kube";

/** The objects of one kind, as a watch brings them. */
export interface Watched extends AsyncDisposable {
  /** Resolves as soon as so many of them are so, with when that was. */
  until(isSo: (object: KubeObject) => boolean, count?: number): Promise<number>;
}

export async function watchObjects(client: KubeClient, selection: ObjectSelection): Promise<Watched> {
  const ending = new AbortController();
  const reflector = createReflector({ client, selection, clock: systemClock, random: Math.random });
  const running = reflector.run(ending.signal);
  await reflector.whenSynced();
  return {
    until(isSo, count = 1) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const so = new Set<string>();
      const look = (object: KubeObject): void => {
        if (isSo(object)) so.add(keyOf(object));
        else so.delete(keyOf(object));
        if (so.size >= count) resolve(Date.now());
      };
      const listening = reflector.subscribe(({ object }) => look(object));
      for (const object of reflector.store.list()) look(object);
      return promise.finally(() => listening[Symbol.dispose]());
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the benchmark is over"));
      await running;
    },
  };
}
