import type { Clock } from "#base";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { InputWatches } from "./input-watches.ts";
import { ObjectCare } from "./object-care.ts";
import type { UnreadyObject } from "./report-status.ts";

/** What the process keeps about one socket, beside what its status records. A restart loses nothing but time. */
export interface SocketSession {
  readonly uid: string;
  readonly care: ObjectCare;
  readonly watches: InputWatches;
  /** Objects of `created` that are not ready, for the status, which the roster writes. */
  unready: readonly UnreadyObject[];
}

/** The sessions of all sockets that were reconciled since the start and still exist. */
export class SocketSessions {
  readonly #byKey = new Map<string, SocketSession>();
  readonly #watches: InputWatches;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(watches: InputWatches, clock: Pick<Clock, "monotonic">) {
    this.#watches = watches;
    this.#clock = clock;
  }

  find(key: string): SocketSession | undefined {
    return this.#byKey.get(key);
  }

  open(key: string, uid: string): SocketSession {
    const known = this.#byKey.get(key);
    const session = known ?? { uid, care: new ObjectCare(this.#clock), watches: this.#watches, unready: [] };
    this.#byKey.set(key, session);
    return session;
  }

  /** Everything that is kept about a socket, here and by what all sockets share. */
  forget(key: string, { roster, claims, apparatus }: Pick<CouplingDeps, "roster" | "claims" | "apparatus">): void {
    const session = this.#byKey.get(key);
    this.#byKey.delete(key);
    this.#watches.forget(key);
    if (!session) return;
    roster.forget(session.uid);
    claims.release(session.uid);
    apparatus.forget(session.uid);
  }
}
