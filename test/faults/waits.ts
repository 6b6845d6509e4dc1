/** Promises that wait for a condition; code that changes the state calls `recheck`. */
export interface Waits {
  /** Resolves with the first result of `find` that is not undefined: now, or after a later change. */
  until<T>(find: () => T | undefined): Promise<T>;
  recheck(): void;
  /** Rejects all open waits, so that a test fails with a message instead of a timeout. */
  close(reason: string): void;
}

export function openWaits(): Waits {
  const waiting = new Set<{ check(): boolean; reject(error: Error): void }>();
  return {
    until<T>(find: () => T | undefined): Promise<T> {
      const now = find();
      if (now !== undefined) return Promise.resolve(now);
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      // A test that failed elsewhere never awaits this one; its rejection on close must not count as a second failure.
      promise.catch(() => {});
      const check = () => {
        const found = find();
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      waiting.add({ check, reject });
      return promise;
    },
    recheck() {
      for (const wait of waiting) if (wait.check()) waiting.delete(wait);
    },
    close(reason) {
      for (const wait of waiting) wait.reject(new Error(reason));
      waiting.clear();
    },
  };
}
