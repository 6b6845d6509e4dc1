import type { Person } from "./person.ts";

/** A person for one session; disposing of it ends the person's connections if no other session uses them. */
export interface HeldPerson extends AsyncDisposable {
  readonly person: Person;
}

interface KnownPerson {
  readonly person: Person;
  sessions: number;
}

/** Persons by their credentials: sessions with the same ones share connections, and the objects that were read through them. */
export class SharedPersons {
  readonly #known = new Map<string, KnownPerson>();

  /** The person of these credentials, whose rights are asked about anew. Without a key, nothing is shared. */
  take(key: string | undefined, make: () => Person): HeldPerson {
    if (key === undefined) {
      const person = make();
      return { person, [Symbol.asyncDispose]: () => person[Symbol.asyncDispose]() };
    }
    const known = this.#known.get(key) ?? { person: make(), sessions: 0 };
    this.#known.set(key, known);
    if (known.sessions > 0) known.person.doubt();
    known.sessions += 1;
    let isHeld = true;
    return {
      person: known.person,
      [Symbol.asyncDispose]: async () => {
        if (!isHeld) return;
        isHeld = false;
        await this.#release(key, known);
      },
    };
  }

  async #release(key: string, known: KnownPerson): Promise<void> {
    known.sessions -= 1;
    if (known.sessions > 0) return;
    this.#known.delete(key);
    await known.person[Symbol.asyncDispose]();
  }
}
