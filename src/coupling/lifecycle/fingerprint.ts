import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Pair } from "../kinds/pair.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";

/** Tells whether something has changed, and nothing of what it is: who does not have the key can try no guesses. */
export class Fingerprint {
  readonly #key: KeyObject;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /** Of all that a stage depends on. */
  ofInputs({ plug, socket }: Pair, { plugConfig, socketConfig }: ResolvedInputs): string {
    const objects = [plug, socket].map(({ metadata: { uid, generation } }) => [uid, generation]);
    return this.#of([...objects, entriesOf(plugConfig), entriesOf(socketConfig)]);
  }

  /** Of all that the Secret with the results holds. */
  ofResults({ socket }: Pair, { plugResult, socketResult }: ResolvedResults): string {
    const provider = [socket.metadata.name, socket.spec.interface?.name];
    return this.#of([provider, entriesOf(plugResult), entriesOf(socketResult)]);
  }

  /** What status shows instead of a secret. */
  ofValue(value: string): string {
    return `sha256:${this.#of(value).slice(0, 8)}`;
  }

  /** What is the same for the same parts, such as the id of a stage. */
  ofParts(parts: readonly unknown[]): string {
    return this.#of(parts);
  }

  #of(value: unknown): string {
    return createHmac("sha256", this.#key).update(JSON.stringify(value)).digest("hex").slice(0, 32);
  }
}

/** What would be another one each time says nothing of a change. */
function entriesOf(map: ResolvedMap): readonly (readonly [string, string])[] {
  return [...map]
    .filter(([, { isUnstable }]) => !isUnstable)
    .map(([key, { value }]) => [key, value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
