import { type CalendarDate, dateOfDay, dayOfDate, secondsBefore1970, weekdayOfDay } from "./calendar.ts";
import { saturate, nanosecondsPerSecond } from "./go-duration.ts";
import { utc, type Zone } from "./zone.ts";

const unixToInternal = 62_135_596_800n;
const largest = (1n << 63n) - 1n;

/** Go's `time.Time`: a moment to the nanosecond, and the zone it is shown in. */
export class GoTime {
  /** Seconds since the year 1, which is what 64 bits of Go's count. */
  readonly internal: bigint;
  readonly nanosecond: number;
  readonly zone: Zone;
  /** The nanoseconds of the clock that is never set, in times that `now` gave. */
  readonly monotonic: bigint | undefined;

  constructor(internal: bigint, nanosecond: number, zone: Zone, monotonic?: bigint) {
    this.internal = internal;
    this.nanosecond = nanosecond;
    this.zone = zone;
    this.monotonic = monotonic;
  }

  /** Seconds since 1970. */
  get unix(): bigint {
    return BigInt.asIntN(64, this.internal - unixToInternal);
  }

  /** Without the monotonic clock, as Go's `In`. */
  in(zone: Zone): GoTime {
    return new GoTime(this.internal, this.nanosecond, zone);
  }

  /** Go's `Add`, which stops at the ends of time. */
  add(nanoseconds: bigint): GoTime {
    const sum = BigInt(this.nanosecond) + nanoseconds;
    const nanosecond = ((sum % nanosecondsPerSecond) + nanosecondsPerSecond) % nanosecondsPerSecond;
    const internal = clampSeconds(this.internal + (sum - nanosecond) / nanosecondsPerSecond);
    const monotonic = this.monotonic === undefined ? undefined : this.monotonic + nanoseconds;
    const inRange = monotonic !== undefined && BigInt.asIntN(64, monotonic) === monotonic;
    return new GoTime(internal, Number(nanosecond), this.zone, inRange ? monotonic : undefined);
  }

  /** Go's `Truncate`: to a multiple of nanoseconds since the year 1, without the monotonic clock. */
  truncated(multiple: bigint): GoTime {
    const plain = this.in(this.zone);
    return multiple <= 0n ? plain : plain.add(-this.#beyond(multiple));
  }

  /** Go's `Round`: a half goes up. */
  rounded(multiple: bigint): GoTime {
    const plain = this.in(this.zone);
    if (multiple <= 0n) return plain;
    const rest = this.#beyond(multiple);
    return plain.add(rest + rest < multiple ? -rest : multiple - rest);
  }

  #beyond(multiple: bigint): bigint {
    const rest = (this.internal * nanosecondsPerSecond + BigInt(this.nanosecond)) % multiple;
    return rest < 0n ? rest + multiple : rest;
  }

  /** Go's `Sub`: by the monotonic clock if both have it, and never more than a duration can hold. */
  minus(other: GoTime): bigint {
    if (this.monotonic !== undefined && other.monotonic !== undefined)
      return saturate(this.monotonic - other.monotonic);
    return saturate(
      (this.internal - other.internal) * nanosecondsPerSecond + BigInt(this.nanosecond - other.nanosecond),
    );
  }

  /** Whether all that makes it up is the same, and not only the moment. A zone is what it is, or what it contains. */
  isSame(other: GoTime, by: "contents" | "identity"): boolean {
    if (this.internal !== other.internal || this.nanosecond !== other.nanosecond) return false;
    if (this.monotonic !== other.monotonic) return false;
    if (this.zone === other.zone) return true;
    const { offset } = this.zone.periodAt(0);
    const { offset: otherOffset } = other.zone.periodAt(0);
    const isNone = this.zone === utc || other.zone === utc;
    return by === "contents" && !isNone && this.zone.name === other.zone.name && offset === otherOffset;
  }

  compare(other: GoTime): number {
    const difference =
      this.monotonic !== undefined && other.monotonic !== undefined
        ? this.monotonic - other.monotonic
        : this.internal - other.internal || BigInt(this.nanosecond - other.nanosecond);
    if (difference === 0n) return 0;
    return difference < 0n ? -1 : 1;
  }
}

function clampSeconds(internal: bigint): bigint {
  if (internal > largest) return largest;
  return internal < -largest ? -largest : internal;
}

/** Go's zero `time.Time`. */
export const zeroTime = new GoTime(0n, 0, utc);

/** Go's `time.Unix(seconds, 0).In(zone)`. */
export function unixTime(seconds: bigint, zone: Zone, nanosecond = 0): GoTime {
  return new GoTime(BigInt.asIntN(64, seconds + unixToInternal), nanosecond, zone);
}

/** What a calendar and a clock on the wall of `zone` show. */
export interface WallTime extends CalendarDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

/** Go's `time.Date`: values beyond their ranges run over into the next larger one. */
export function wallTime(wall: WallTime, zone: Zone): GoTime {
  const seconds = BigInt(wall.hour * 3_600 + wall.minute * 60 + wall.second);
  const local = BigInt(dayOfDate(wall)) * 86_400n + seconds - secondsBefore1970;
  const period = zone.periodAt(Number(local));
  const guess = Number(local) - period.offset;
  // Near a change the first answer may be that of the other side.
  const isRight = period.offset === 0 || (guess >= period.start && guess < period.end);
  const { offset } = isRight ? period : zone.periodAt(guess);
  return unixTime(local - BigInt(offset), zone, wall.nanosecond);
}

/** A time as its zone shows it. */
export interface ShownTime extends WallTime {
  /** Days, as calendar.ts counts them. */
  readonly absoluteDay: number;
  readonly weekday: number;
  readonly zoneName: string;
  readonly offset: number;
  readonly isDaylight: boolean;
}

export function showTime(time: GoTime): ShownTime {
  const { name: zoneName, offset, isDaylight } = time.zone.periodAt(Number(time.unix));
  const absolute = BigInt.asUintN(64, time.unix + BigInt(offset) + secondsBefore1970);
  const absoluteDay = Number(absolute / 86_400n);
  const clock = Number(absolute % 86_400n);
  return {
    ...dateOfDay(absoluteDay),
    hour: Math.floor(clock / 3_600),
    minute: Math.floor(clock / 60) % 60,
    second: clock % 60,
    nanosecond: time.nanosecond,
    absoluteDay,
    weekday: weekdayOfDay(absoluteDay),
    zoneName,
    offset,
    isDaylight,
  };
}
