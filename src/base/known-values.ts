import { RollingHash } from "./rolling-hash.ts";
import { writtenForms } from "./written-forms.ts";

export const mask = "***";
const shortestValue = 6;

/** After so many passes the whole text is masked: values can be chosen so that each pass produces the next one. */
const mostPasses = 4;
/** How many lengths are tried at one position. If a family has more, everything that could belong to it is masked. */
const mostLengths = 32;

interface Stretch {
  readonly start: number;
  end: number;
}

/** Forms with the same first half. By length: how many have which hash. */
type Family = Map<number, Map<number, number>>;

/**
 * Values to mask in text, each while at least one holder holds it.
 *
 * Forms are found by hashes. One large regular expression took half a second to compile for 1,000 values after each change,
 * and did not run faster. Tenants choose the values and much of the text, so no step may compare a text with all values
 * that resemble it: at each position a few sizes and a few lengths cost one lookup each, however many forms there are. More
 * than the values is masked only where a text contains the first half of many of them.
 */
export class KnownValues {
  readonly #holders = new Map<string, number>();
  /** Two values may share a form, which is kept until both are released. */
  readonly #forms = new Map<string, number>();
  readonly #openings = new Map<number, number>();
  readonly #families = new Map<number, Family>();
  /** How many forms have each size; a size is the base-2 logarithm of the length in units of the shortest value. */
  readonly #sizes: number[] = [];

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

  /** Masks until nothing changes: the text around a masked value may form another value together with the mask. */
  redact(text: string): string {
    if (this.#forms.size === 0) return text;
    let before = text;
    for (let pass = 0; pass < mostPasses; pass++) {
      const after = this.#maskOnce(before);
      if (after === before) return after;
      before = after;
    }
    return mask;
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

  /** Overlapping and adjacent values are one stretch, so that neither the end of one nor their number is visible. */
  #stretches(text: string): Stretch[] {
    const stretches: Stretch[] = [];
    let hash: RollingHash | undefined;
    for (let start = 0; start + shortestValue <= text.length; start++) {
      if (!this.#openings.has(openingAt(text, start))) continue;
      hash ??= new RollingHash(text);
      const last = stretches.at(-1);
      const covered = last ? last.end - start : -1;
      const length = this.#lengthToMask(text, start, hash, Math.max(covered, 0));
      if (length === 0) continue;
      if (last && covered >= 0) last.end = start + length;
      else stretches.push({ start, end: start + length });
    }
    return stretches;
  }

  /** 0 if everything there is masked already. */
  #lengthToMask(text: string, at: number, hash: RollingHash, covered: number): number {
    const left = text.length - at;
    let longest = covered;
    let lengths = 0;
    for (let size = this.#sizes.length - 1; size >= 0; size--) {
      const shared = sharedBy(size);
      // All forms of this size or smaller are shorter than twice the shared length.
      if (2 * shared - 1 <= longest) break;
      if (this.#sizes[size] === 0 || shared > left) continue;
      const family = this.#families.get(familyKey(size, hash.of(at, shared)));
      if (family === undefined) continue;
      lengths += family.size;
      if (lengths > mostLengths) longest = Math.max(longest, Math.min(2 * shared - 1, left));
      else longest = this.#longestForm(text, at, hash, family, longest, covered > 0);
    }
    return longest > covered ? longest : 0;
  }

  /**
   * Inside a masked stretch an equal hash is enough: comparing a long form at each position of a text that repeats it would
   * take time in the product of both lengths. The first form of a stretch is compared in full.
   */
  #longestForm(
    text: string,
    at: number,
    hash: RollingHash,
    family: Family,
    atLeast: number,
    isMasked: boolean,
  ): number {
    let longest = atLeast;
    for (const [length, hashes] of family) {
      if (length <= longest || at + length > text.length || !hashes.has(hash.of(at, length))) continue;
      if (isMasked || this.#forms.has(text.slice(at, at + length))) longest = length;
    }
    return longest;
  }

  #countForm(form: string, by: 1 | -1): void {
    count(this.#openings, openingAt(form, 0), by);
    const size = sizeOf(form);
    while (this.#sizes.length <= size) this.#sizes.push(0);
    this.#sizes[size] = (this.#sizes[size] ?? 0) + by;
    const hash = new RollingHash(form);
    const key = familyKey(size, hash.of(0, sharedBy(size)));
    const family = getOrAdd(this.#families, key);
    const hashes = getOrAdd(family, form.length);
    count(hashes, hash.of(0, form.length), by);
    if (hashes.size === 0) family.delete(form.length);
    if (family.size === 0) this.#families.delete(key);
  }
}

function sizeOf(form: string): number {
  return Math.floor(Math.log2(form.length / shortestValue));
}

/** How many first characters the forms of a family of this size share: more than half of each form. */
function sharedBy(size: number): number {
  return shortestValue * 2 ** size;
}

function familyKey(size: number, hash: number): number {
  return hash * 32 + size;
}

/** A hash of the first characters of a form. Few positions of a text match one, so most are skipped at once. */
function openingAt(text: string, start: number): number {
  let opening = 0;
  for (let index = start; index < start + shortestValue; index++) {
    opening = (Math.imul(opening, 16_777_619) ^ text.charCodeAt(index)) | 0;
  }
  return opening;
}

/** Adds to a count and returns the new one; a count of 0 is deleted. */
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
  // A value read from a file often ends in a newline that its user strips.
  const stripped = value.trim();
  return writtenForms(stripped.length < shortestValue ? value : stripped);
}
