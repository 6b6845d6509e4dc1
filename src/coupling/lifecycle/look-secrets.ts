import { HeldSecrets, type Redact } from "#base";

/** What was secret in the looks at each plug, by its uid, and is masked in what its tenant can read. */
export class LookSecrets {
  readonly #held = new Map<string, HeldSecrets>();

  of(uid: string): HeldSecrets {
    const known = this.#held.get(uid);
    if (known) return known;
    const held = new HeldSecrets();
    this.#held.set(uid, held);
    return held;
  }

  /** For texts about a plug or socket; by the time they are said, more may be held. Of whom nothing is held, nothing is masked. */
  redactFor(uid: string): Redact {
    return (text) => this.#held.get(uid)?.redact(text) ?? text;
  }

  forget(uid: string): void {
    this.#held.delete(uid);
  }
}
