import type { Clock } from "#base";
import type { HealthCheck } from "./health.ts";

export interface EventLoopCheckOptions {
  readonly clock: Clock;
  /** A turn that takes longer is a fault. */
  readonly limitMs?: number;
  /** For how long a fault is reported; longer than probes are apart. */
  readonly memoryMs?: number;
}

const beatMs = 1_000;

/**
 * Notices when the event loop stood still: something held it, or the process was stopped.
 * While it stands nobody is answered and the probe times out; afterwards this says why.
 */
export function watchEventLoop(options: EventLoopCheckOptions): HealthCheck & Disposable {
  const { clock, limitMs = 10_000, memoryMs = 60_000 } = options;
  let stall: { readonly from: number; readonly ms: number; readonly seen: number } | undefined;
  let expected = clock.monotonic() + beatMs;
  let timer = clock.after(beatMs, beat);

  function beat(): void {
    notice();
    timer = clock.after(beatMs, beat);
  }

  /** Also when asked: after a stall, the question may be served before the beat. */
  function notice(): void {
    const now = clock.monotonic();
    const lateMs = now - expected;
    if (lateMs > limitMs) stall = { from: clock.now() - lateMs, ms: lateMs, seen: now };
    expected = now + beatMs;
  }

  return {
    name: "event loop",
    probe: "healthz",
    examine() {
      if (clock.monotonic() - expected > limitMs) notice();
      if (!stall || clock.monotonic() - stall.seen > memoryMs) return { isGood: true, message: "turns" };
      return { isGood: false, message: `stood still for ${Math.round(stall.ms / 1000)} s`, since: stall.from };
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
