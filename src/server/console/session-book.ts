import { hash, randomBytes } from "node:crypto";
import type { Clock } from "#base";
import type { Person } from "./person.ts";
import type { HeldPerson } from "./shared-persons.ts";

/** A person in a browser. */
export interface ConsoleSession {
  readonly person: Person;
  /** Aborted when the session ends. */
  readonly ended: AbortSignal;
}

interface KeptSession extends ConsoleSession {
  readonly held: AsyncDisposable;
  readonly ending: AbortController;
  readonly startedAt: number;
  usedAt: number;
}

const longestMs = 12 * 3_600_000;
const idleMs = 2 * 3_600_000;
const mostSessions = 200;
const linkMs = 15 * 60_000;

/** Sessions and the one-time link, by hashes: their keys are only in the browser and in what was printed. */
export class SessionBook implements AsyncDisposable {
  readonly #sessions = new Map<string, KeptSession>();
  readonly #clock: Clock;
  readonly #links = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The key of a new link, which works once, for a quarter of an hour. */
  createLink(): string {
    const key = newKey();
    this.#links.clear();
    this.#links.set(digest(key), this.#clock.monotonic() + linkMs);
    return key;
  }

  /** Whether the link is valid. It is not afterwards. */
  useLink(key: string): boolean {
    const id = digest(key);
    const until = this.#links.get(id);
    this.#links.delete(id);
    return until !== undefined && this.#clock.monotonic() <= until;
  }

  /** The key of a new session; the longest unused one ends if there are too many. */
  async start(held: HeldPerson): Promise<string> {
    await this.#sweep();
    if (this.#sessions.size >= mostSessions) {
      const [oldest] = [...this.#sessions].toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
      if (oldest) await this.#end(oldest[0]);
    }
    const key = newKey();
    const ending = new AbortController();
    const now = this.#clock.monotonic();
    const { person } = held;
    this.#sessions.set(digest(key), { person, held, ending, ended: ending.signal, startedAt: now, usedAt: now });
    return key;
  }

  async find(key: string): Promise<ConsoleSession | undefined> {
    await this.#sweep();
    const session = this.#sessions.get(digest(key));
    if (session) session.usedAt = this.#clock.monotonic();
    return session;
  }

  async end(key: string): Promise<void> {
    await this.#end(digest(key));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.monotonic();
    for (const [id, { startedAt, usedAt }] of this.#sessions) {
      if (now - startedAt > longestMs || now - usedAt > idleMs) await this.#end(id);
    }
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.ending.abort(new Error("the session has ended"));
    await session?.held[Symbol.asyncDispose]();
  }
}

function newKey(): string {
  return randomBytes(32).toString("base64url");
}

function digest(key: string): string {
  return hash("sha256", key);
}
