/** Promises that wait for a state to come true; whoever changes the state calls `recheck`. */
export interface Waits {
  /** Resolves with the first answer of `look` that is not undefined: now, or after a later change. */
  until<T>(look: () => T | undefined): Promise<T>;
  recheck(): void;
  /** Rejects what still waits, so that a test fails with a sentence instead of a timeout. */
  close(reason: string): void;
}

export function openWaits(): Waits {
  const waiting = new Set<{ check(): boolean; reject(error: Error): void }>();
  return {
    until<T>(look: () => T | undefined): Promise<T> {
      const now = look();
      if (now !== undefined) return Promise.resolve(now);
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      // A test that failed elsewhere never awaits this one; its rejection on close is no second failure.
      promise.catch(() => {});
      const check = () => {
        const found = look();
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
