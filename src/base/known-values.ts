import { writtenForms } from "./written-forms.ts";

export const mask = "***";
const shortestValue = 6;

interface Stretch {
  readonly start: number;
  end: number;
}

/**
 * Values that text must not show, each for as long as somebody holds it.
 *
 * Forms are found by a hash of their opening, not by one large regular expression: for 1,000 values that took half a
 * second to compile after each change and was no faster to run.
 */
export class KnownValues {
  readonly #holders = new Map<string, number>();
  readonly #formsByOpening = new Map<number, string[]>();

  hold(value: string): void {
    const holders = this.#holders.get(value) ?? 0;
    this.#holders.set(value, holders + 1);
    if (holders > 0) return;
    for (const form of formsToMask(value)) this.#addForm(form);
  }

  release(value: string): void {
    const holders = this.#holders.get(value);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#holders.set(value, holders - 1);
      return;
    }
    this.#holders.delete(value);
    for (const form of formsToMask(value)) this.#deleteForm(form);
  }

  /** Masks until nothing is left to mask: what stood around a masked value may, with the mask, spell another one. */
  redact(text: string): string {
    if (this.#formsByOpening.size === 0) return text;
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
    for (let start = 0; start + shortestValue <= text.length; start++) {
      const length = this.#longestFormAt(text, start);
      if (length === 0) continue;
      const end = start + length;
      const last = stretches.at(-1);
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else stretches.push({ start, end });
    }
    return stretches;
  }

  #longestFormAt(text: string, at: number): number {
    const candidates = this.#formsByOpening.get(openingAt(text, at));
    return candidates?.find((form) => text.startsWith(form, at))?.length ?? 0;
  }

  /** Two values may share a form, which is then listed twice: it stays until both are gone. */
  #addForm(form: string): void {
    const opening = openingAt(form, 0);
    const forms = this.#formsByOpening.get(opening) ?? [];
    const firstShorter = forms.findIndex((other) => other.length < form.length);
    forms.splice(firstShorter === -1 ? forms.length : firstShorter, 0, form);
    this.#formsByOpening.set(opening, forms);
  }

  #deleteForm(form: string): void {
    const opening = openingAt(form, 0);
    const forms = this.#formsByOpening.get(opening) ?? [];
    forms.splice(forms.indexOf(form), 1);
    if (forms.length === 0) this.#formsByOpening.delete(opening);
  }
}

function formsToMask(value: string): Iterable<string> {
  if (value.length < shortestValue) return [];
  // A value read from a file often ends in a newline that whoever uses it strips.
  const stripped = value.trim();
  return writtenForms(stripped.length < shortestValue ? value : stripped);
}

/** A hash of the characters that every form has, kept within V8's small integers. */
function openingAt(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + shortestValue; index++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) & 0x3fffffff;
  }
  return hash;
}
