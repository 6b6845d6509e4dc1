import type { Socket } from "node:net";

/** What a test asks of one direction. A change holds for chunks that wait already, too. */
export interface LaneFaults {
  /** Milliseconds from a chunk's arrival to its departure. */
  delay: number;
  silent: boolean;
}

export interface LaneOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly faults: Readonly<LaneFaults>;
  /** A chunk has come; it may have to wait. */
  readonly onArrived: () => void;
  readonly onForwarded: (bytes: number) => void;
  /** The budget of `cutAfter` is spent; the lane forwards nothing more. */
  readonly onSpent: () => void;
}

/** One direction of a connection. */
export interface Lane {
  /** Bytes taken from one side that the kernel of the other has not got. */
  readonly held: number;
  /** Counts from the bytes forwarded so far: what a delay or silence holds is still to come. The last call counts. */
  cutAfter(bytes: number): void;
  /** Acts on faults that have changed. */
  wake(): void;
}

const heldLimit = 256 * 1024;

/**
 * Forwards bytes in order, as late as the faults say.
 *
 * It reads on while silent, up to a limit, for only a socket that is read tells when its client has left.
 */
export function openLane({ from, to, faults, onArrived, onForwarded, onSpent }: LaneOptions): Lane {
  const waiting: { readonly chunk: Buffer; readonly arrived: number }[] = [];
  let waitingBytes = 0;
  let hasEnded = false;
  let budget = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const held = () => waitingBytes + to.writableLength;

  function forward(chunk: Buffer): void {
    const bytes = Math.min(chunk.length, budget);
    to.write(chunk.subarray(0, bytes));
    budget -= bytes;
    onForwarded(bytes);
    if (budget === 0) onSpent();
  }

  function isOpen(): boolean {
    return !faults.silent && !to.destroyed && budget > 0;
  }

  function pump(): void {
    clearTimeout(timer);
    while (isOpen()) {
      const [next] = waiting;
      if (!next) {
        if (hasEnded) to.end();
        break;
      }
      const remaining = next.arrived + faults.delay - performance.now();
      if (remaining > 0) {
        timer = setTimeout(pump, remaining);
        break;
      }
      waiting.shift();
      waitingBytes -= next.chunk.length;
      forward(next.chunk);
    }
    if (held() < heldLimit) from.resume();
    else from.pause();
  }

  from.on("data", (chunk: Buffer) => {
    waiting.push({ chunk, arrived: performance.now() });
    waitingBytes += chunk.length;
    pump();
    onArrived();
  });
  from.on("end", () => {
    hasEnded = true;
    pump();
  });
  to.on("drain", pump);
  to.once("close", () => clearTimeout(timer));

  return {
    get held() {
      return held();
    },
    cutAfter(bytes) {
      if (budget === 0) return;
      budget = bytes;
      if (budget === 0) onSpent();
    },
    wake: pump,
  };
}
