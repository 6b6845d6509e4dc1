import type { Clock } from "#base";
import type { HealthCheck } from "./health.ts";

export interface EventLoopCheckOptions {
  readonly clock: Clock;
  /** How late the event loop may be before it counts as blocked; default 10 s. */
  readonly limitMs?: number;
  /** How long a block is reported; must be longer than the period of the probe. Default 60 s. */
  readonly memoryMs?: number;
}

const beatMs = 1_000;

/**
 * Notices when the event loop was blocked, by a long computation or because the process was stopped.
 * Meanwhile no request is answered and the probe times out; afterwards this check says why.
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

  /** Also called by `examine`: after a block, the probe may be answered before the timer fires. */
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
      if (!stall || clock.monotonic() - stall.seen > memoryMs) return { isGood: true, message: "responsive" };
      return { isGood: false, message: `was blocked for ${Math.round(stall.ms / 1000)} s`, since: stall.from };
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
