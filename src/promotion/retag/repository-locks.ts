import { Semaphore } from "#base";

interface Lock {
  readonly turn: Semaphore;
  users: number;
}

/** Lets one release at a time move the tags of a repository. */
export class RepositoryLocks {
  readonly #locks = new Map<string, Lock>();

  /** Runs `work` when all these repositories are free. They are taken in the order of their names, so that none waits for ever. */
  async run<Result>(repositories: Iterable<string>, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const names = [...new Set(repositories)].toSorted();
    const enter = async (index: number): Promise<Result> => {
      const name = names[index];
      if (name === undefined) return await work();
      const lock = this.#locks.get(name) ?? { turn: new Semaphore(1), users: 0 };
      this.#locks.set(name, lock);
      lock.users++;
      try {
        return await lock.turn.run(() => enter(index + 1), signal);
      } finally {
        lock.users--;
        if (lock.users === 0) this.#locks.delete(name);
      }
    };
    return await enter(0);
  }
}
