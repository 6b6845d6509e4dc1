import { generateKeyPair, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Budget } from "#golang";

/** Keys that take a tenth of a second to make, or a whole one. */
export type SlowKey = "rsa2048" | "rsa4096" | "dsa";

/** Gives a new private key. */
export type KeySource = (kind: SlowKey) => KeyObject;

/** The steps of a key: so many, that a tenant gets four of the common kind in a rendering and one of the others. */
const steps: Readonly<Record<SlowKey, number>> = { rsa2048: 200_000, rsa4096: 600_000, dsa: 600_000 };

export function chargeKey(kind: SlowKey, budget: Budget): void {
  budget.step(steps[kind]);
}

const dsa = { modulusLength: 2_048, divisorLength: 256 };

/** Makes a key while everything else waits: for a chart, whose user waits for it anyway. */
export function makeSlowKey(kind: SlowKey): KeyObject {
  if (kind === "dsa") return generateKeyPairSync("dsa", dsa).privateKey;
  return generateKeyPairSync("rsa", { modulusLength: modulusLengthOf(kind) }).privateKey;
}

function modulusLengthOf(kind: "rsa2048" | "rsa4096"): number {
  return kind === "rsa2048" ? 2_048 : 4_096;
}

/** A key is still being made. The same rendering succeeds later, so the template's author made no mistake. */
export class KeyPending extends Error {
  override readonly name = "KeyPending";

  constructor(kind: SlowKey) {
    super(`a new ${kind === "dsa" ? "DSA" : "RSA"} key is still being made; try again`);
  }
}

/** As many as the templates of one attempt may take together. */
const kept: Readonly<Record<SlowKey, number>> = { rsa2048: 10, rsa4096: 3, dsa: 3 };

/** Makes a key of that kind on another thread; `undefined` if that failed. */
export type MakeKeyAside = (kind: SlowKey, done: (key: KeyObject | undefined) => void) => void;

function makeKeyAside(kind: SlowKey, done: (key: KeyObject | undefined) => void): void {
  if (kind === "dsa") generateKeyPair("dsa", dsa, (error, _, key) => done(error ? undefined : key));
  else {
    const modulusLength = modulusLengthOf(kind);
    generateKeyPair("rsa", { modulusLength }, (error, _, key) => done(error ? undefined : key));
  }
}

/**
 * Keys in stock for templates of tenants, whose renderings block the process for all others: making a key there would block it for
 * up to a second. The first rendering that asks for a kind of key fails with `KeyPending` and has a few made, one after the other.
 */
export class KeyStock {
  readonly #make: MakeKeyAside;
  readonly #ready = new Map<SlowKey, KeyObject[]>();
  readonly #making = new Set<SlowKey>();

  constructor(make: MakeKeyAside = makeKeyAside) {
    this.#make = make;
  }

  take(kind: SlowKey): KeyObject {
    const key = this.#ready.get(kind)?.shift();
    this.#fill(kind);
    if (key === undefined) throw new KeyPending(kind);
    return key;
  }

  #fill(kind: SlowKey): void {
    const ready = this.#ready.get(kind) ?? [];
    this.#ready.set(kind, ready);
    if (ready.length >= kept[kind] || this.#making.has(kind)) return;
    this.#making.add(kind);
    this.#make(kind, (key) => {
      this.#making.delete(kind);
      if (key === undefined) return;
      ready.push(key);
      this.#fill(kind);
    });
  }
}
