import { RollingHash } from "./rolling-hash.ts";
import { writtenForms } from "./written-forms.ts";

export const mask = "***";
const shortestValue = 6;

interface Stretch {
  readonly start: number;
  end: number;
}

/** Of forms that open alike, by their length: how many have which hash. */
type Lengths = Map<number, Map<number, number>>;

/**
 * Values that text must not show, each for as long as somebody holds it.
 *
 * Forms are found by hashes, not by one large regular expression: for 1,000 values that took half a second to compile after
 * each change and was no faster to run. Tenants choose the values and much of the text, so that no step may compare a text with
 * all values that look like it: at each place, a length costs one lookup, however many forms have it.
 */
export class KnownValues {
  readonly #holders = new Map<string, number>();
  /** Two values may share a form, which stays until both are gone. */
  readonly #forms = new Map<string, number>();
  readonly #byOpening = new Map<number, Lengths>();

  hold(value: string): void {
    const holders = this.#holders.get(value) ?? 0;
    this.#holders.set(value, holders + 1);
    if (holders > 0) return;
    for (const form of formsToMask(value)) {
      if (count(this.#forms, form, 1) === 1) this.#countForm(form, 1);
    }
  }

  release(value: string): void {
    if (!this.#holders.has(value)) return;
    if (count(this.#holders, value, -1) > 0) return;
    for (const form of formsToMask(value)) {
      if (count(this.#forms, form, -1) === 0) this.#countForm(form, -1);
    }
  }

  /** Masks until nothing is left to mask: what stood around a masked value may, with the mask, spell another one. */
  redact(text: string): string {
    if (this.#forms.size === 0) return text;
    let before = text;
    let after = this.#maskOnce(text);
    while (after !== before) {
      before = after;
      after = this.#maskOnce(before);
    }
    return after;
  }

  #maskOnce(text: string): string {
    let masked = "";
    let copied = 0;
    for (const { start, end } of this.#stretches(text)) {
      masked += text.slice(copied, start) + mask;
      copied = end;
    }
    return masked + text.slice(copied);
  }

  /** Overlapping and adjoining values are one stretch, so that neither the tail of one nor their number shows. */
  #stretches(text: string): Stretch[] {
    const stretches: Stretch[] = [];
    let hash: RollingHash | undefined;
    for (let start = 0; start + shortestValue <= text.length; start++) {
      const lengths = this.#byOpening.get(openingAt(text, start));
      if (!lengths) continue;
      hash ??= new RollingHash(text);
      const last = stretches.at(-1);
      const covered = last ? last.end - start : -1;
      const length = this.#longestForm(text, start, hash, lengths, Math.max(covered, 0));
      if (length === 0) continue;
      if (last && covered >= 0) last.end = start + length;
      else stretches.push({ start, end: start + length });
    }
    return stretches;
  }

  /** 0 if there is none that is longer than what is masked anyway. */
  #longestForm(text: string, at: number, hash: RollingHash, lengths: Lengths, covered: number): number {
    let longest = covered;
    for (const [length, hashes] of lengths) {
      if (length <= longest || at + length > text.length || !hashes.has(hash.of(at, length))) continue;
      if (this.#forms.has(text.slice(at, at + length))) longest = length;
    }
    return longest > covered ? longest : 0;
  }

  #countForm(form: string, by: 1 | -1): void {
    const opening = openingAt(form, 0);
    const lengths = getOrAdd(this.#byOpening, opening);
    const hashes = getOrAdd(lengths, form.length);
    count(hashes, new RollingHash(form).of(0, form.length), by);
    if (hashes.size === 0) lengths.delete(form.length);
    if (lengths.size === 0) this.#byOpening.delete(opening);
  }
}

/** One number for the first characters of a form; few texts have one that a form has, so that most are not looked at closer. */
function openingAt(text: string, start: number): number {
  let opening = 0;
  for (let index = start; index < start + shortestValue; index++) {
    opening = (Math.imul(opening, 16_777_619) ^ text.charCodeAt(index)) | 0;
  }
  return opening;
}

/** Counts up or down, and gives back how many there are now; what there is none of is not kept. */
function count<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): number {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
  return now;
}

function getOrAdd<Inner>(maps: Map<number, Map<number, Inner>>, key: number): Map<number, Inner> {
  const known = maps.get(key);
  if (known) return known;
  const made = new Map<number, Inner>();
  maps.set(key, made);
  return made;
}

function formsToMask(value: string): Iterable<string> {
  if (value.length < shortestValue) return [];
  // A value read from a file often ends in a newline that whoever uses it strips.
  const stripped = value.trim();
  return writtenForms(stripped.length < shortestValue ? value : stripped);
}
