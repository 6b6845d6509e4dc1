import type { Clock } from "#base";
import { describeRef, type KubeClient, type ObjectRef } from "#kube";

/** Whoever waits keeps a worker from others; afterwards it is tried again as any failure is. */
const longestMs = 5_000;
const firstPauseMs = 20;
const longestPauseMs = 1_000;

/** Waits until an object is gone, or another one has its name. Finalizers of others may keep it for long; then it is an error. */
export async function waitForAbsence(
  ref: ObjectRef,
  uid: string | undefined,
  client: Pick<KubeClient, "find">,
  clock: Pick<Clock, "monotonic" | "sleep">,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + longestMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const live = await client.find(ref, signal);
    if (!live || live.metadata.uid !== uid) return;
    if (clock.monotonic() >= end) {
      const keepers = live.metadata.finalizers?.join(", ") ?? "its garbage collector";
      throw new Error(
        `${describeRef(ref)} is still there ${longestMs / 1000} s after its deletion, kept by ${keepers}`,
      );
    }
    await clock.sleep(pauseMs, signal);
  }
}
