import { type DaylightRule, periodByRule, type ZoneKind, type ZonePeriod } from "./daylight-rule.ts";

interface ZoneChange {
  readonly when: number;
  readonly kind: ZoneKind;
}

/** Go's `time.Location`. */
export class Zone {
  readonly name: string;
  readonly #kinds: readonly ZoneKind[];
  readonly #changes: readonly ZoneChange[];
  /** What holds after the last change. */
  readonly #rule: DaylightRule | undefined;

  constructor(name: string, kinds: readonly ZoneKind[], changes: readonly ZoneChange[] = [], rule?: DaylightRule) {
    this.name = name;
    this.#kinds = kinds;
    this.#changes = changes;
    this.#rule = rule;
  }

  periodAt(second: number): ZonePeriod {
    const changes = this.#changes;
    const [first] = changes;
    if (first === undefined || second < first.when)
      return { ...this.#firstKind(), start: -Infinity, end: first?.when ?? Infinity };
    let low = 0;
    let high = changes.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (second < (changes[middle]?.when ?? 0)) high = middle;
      else low = middle;
    }
    const last = changes[low] ?? first;
    if (low === changes.length - 1 && this.#rule !== undefined) return periodByRule(this.#rule, last.when, second);
    return { ...last.kind, start: last.when, end: changes[high]?.when ?? Infinity };
  }

  /** Go's choice for times before the first change: see the comment of its `lookupFirstZone`. */
  #firstKind(): ZoneKind {
    const [initial = utcKind] = this.#kinds;
    const [first] = this.#changes;
    if (!this.#changes.some(({ kind }) => kind === initial)) return initial;
    if (first?.kind.isDaylight === true) {
      const before = this.#kinds.slice(0, this.#kinds.indexOf(first.kind)).findLast((kind) => !kind.isDaylight);
      if (before !== undefined) return before;
    }
    return this.#kinds.find((kind) => !kind.isDaylight) ?? initial;
  }

  /** The offset of an abbreviation, preferring one in use at the time that clocks show as `localSecond`. */
  offsetByName(name: string, localSecond: number): number | undefined {
    const kinds = this.#kinds.filter((kind) => kind.name === name);
    for (const kind of kinds) {
      const period = this.periodAt(localSecond - kind.offset);
      if (period.name === name) return period.offset;
    }
    return kinds[0]?.offset;
  }
}

const utcKind: ZoneKind = { name: "UTC", offset: 0, isDaylight: false };

export const utc = new Zone("UTC", [utcKind]);

const wholeHours = new Map<number, Zone>();

/** A zone whose offset never changes, as a time that was parsed has. Go has one zone for each whole hour without a name. */
export function fixedZone(name: string, offset: number): Zone {
  const known = name === "" ? wholeHours.get(offset) : undefined;
  if (known !== undefined) return known;
  const zone = new Zone(name, [{ name, offset, isDaylight: false }]);
  if (name === "" && offset % 3_600 === 0 && offset >= -12 * 3_600 && offset <= 14 * 3_600)
    wholeHours.set(offset, zone);
  return zone;
}
