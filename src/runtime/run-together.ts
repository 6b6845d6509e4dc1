/** Runs all of them until they have ended. When one fails, the others are aborted, and its error is thrown. */
export async function runTogether(
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const together = AbortSignal.any([signal, ending.signal]);
  const outcomes = await Promise.allSettled(
    works.map(async (work) => {
      try {
        await work(together);
      } catch (error) {
        ending.abort(error);
        throw error;
      }
    }),
  );
  if (outcomes.some(({ status }) => status === "rejected")) throw ending.signal.reason;
}
