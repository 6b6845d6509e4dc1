import { FunctionError, type GoFunction, goFunction } from "../value/go-function.ts";
import { Int, int, int64, Named, Struct, TypedNil } from "../value/typed-values.ts";
import type { GoValue } from "../value/value.ts";
import { dayOfYear, monthNames, weekdayNames } from "./calendar.ts";
import { formatGoDuration, roundGoDuration, saturate } from "./go-duration.ts";
import { formatTime } from "./format-time.ts";
import { GoTime, showTime, wallTime } from "./go-time.ts";
import { localZone } from "./zone-database.ts";
import { utc, type Zone } from "./zone.ts";

/** A time as templates hold it: a `time.Time` with the methods that they can call. */
export function timeValue(time: GoTime): Struct {
  return new Struct("time.Time", {
    get methods() {
      return methodsOf(time);
    },
    text: () => timeText(time),
    json: () => jsonText(time),
    goText: () => goText(time),
    get unexported() {
      return insideOf(time);
    },
    equals: (other, by) => timeOf(other)?.isSame(time, by) === true,
    hidden: time,
  });
}

/** The time in a value that is one; `undefined` for any other. */
export function timeOf(value: GoValue): GoTime | undefined {
  const hidden = value instanceof Struct ? value.details.hidden : undefined;
  return hidden instanceof GoTime ? hidden : undefined;
}

/** Go's `Time.String`. */
function timeText(time: GoTime): string {
  const text = formatTime(time, "2006-01-02 15:04:05.999999999 -0700 MST");
  if (time.monotonic === undefined) return text;
  const size = time.monotonic < 0n ? -time.monotonic : time.monotonic;
  const digits = size.toString().padStart(10, "0");
  return `${text} m=${time.monotonic < 0n ? "-" : "+"}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Go's `Time.GoString`. */
function goText(time: GoTime): string {
  const { year, month, day, hour, minute, second } = showTime(time);
  const fields = [
    year,
    `time.${monthNames[month - 1]}`,
    day,
    hour,
    minute,
    second,
    time.nanosecond,
    zoneText(time.zone),
  ];
  return `time.Date(${fields.join(", ")})`;
}

function zoneText(zone: Zone): string {
  if (zone === utc) return "time.UTC";
  return zone === localZone() ? "time.Local" : `time.Location(${JSON.stringify(zone.name)})`;
}

function insideOf({ nanosecond, internal, zone }: GoTime): Readonly<Record<string, GoValue>> {
  const loc = zone === utc ? new TypedNil("*time.Location") : new Struct("*time.Location", {});
  return { wall: new Int("uint64", BigInt(nanosecond)), ext: int64(internal), loc };
}

function jsonText(time: GoTime): string {
  const { year, offset } = showTime(time);
  if (year < 0 || year > 9_999) throw new FunctionError("Time.MarshalJSON: year outside of range [0,9999]");
  if (Math.abs(offset) >= 86_400) throw new FunctionError("Time.MarshalJSON: timezone hour outside of range [0,23]");
  return formatTime(time, "2006-01-02T15:04:05.999999999Z07:00");
}

/** Those that give two or three results, or take a zone, do not exist: templates cannot call them. */
function methodsOf(time: GoTime): Readonly<Record<string, GoFunction>> {
  const shown = showTime(time);
  const { unix, nanosecond } = time;
  return {
    Year: giving(int(shown.year)),
    Month: giving(named("time.Month", shown.month, monthNames[shown.month - 1])),
    Day: giving(int(shown.day)),
    Hour: giving(int(shown.hour)),
    Minute: giving(int(shown.minute)),
    Second: giving(int(shown.second)),
    Nanosecond: giving(int(nanosecond)),
    YearDay: giving(int(dayOfYear(shown))),
    Weekday: giving(named("time.Weekday", shown.weekday, weekdayNames[shown.weekday])),
    Unix: giving(int64(unix)),
    UnixMilli: giving(int64(unix * 1_000n + BigInt(Math.trunc(nanosecond / 1_000_000)))),
    UnixMicro: giving(int64(unix * 1_000_000n + BigInt(Math.trunc(nanosecond / 1_000)))),
    UnixNano: giving(int64(unix * 1_000_000_000n + BigInt(nanosecond))),
    IsZero: giving(time.internal === 0n && nanosecond === 0),
    IsDST: giving(shown.isDaylight),
    String: giving(timeText(time)),
    Format: goFunction(["string"], ([layout]) => formatTime(time, layout)),
    UTC: goFunction([], () => timeValue(time.in(utc))),
    Local: goFunction([], () => timeValue(time.in(localZone()))),
    AddDate: goFunction(["int", "int", "int"], ([years, months, days]) =>
      timeValue(
        wallTime(
          {
            ...shown,
            year: shown.year + Number(years),
            month: shown.month + Number(months),
            day: shown.day + Number(days),
          },
          time.zone,
        ),
      ),
    ),
    Add: goFunction(["time.Duration"], ([duration]) => timeValue(time.add(duration))),
    Truncate: goFunction(["time.Duration"], ([multiple]) => timeValue(time.truncated(multiple))),
    Round: goFunction(["time.Duration"], ([multiple]) => timeValue(time.rounded(multiple))),
    After: comparing(time, (order) => order > 0),
    Before: comparing(time, (order) => order < 0),
    Equal: comparing(time, (order) => order === 0),
    Compare: comparing(time, int),
    Sub: goFunction(["time.Time"], ([other]) => durationValue(time.minus(timeOf(other) ?? time))),
  };
}

function giving(value: GoValue): GoFunction {
  return goFunction([], () => value);
}

function comparing(time: GoTime, answer: (order: number) => GoValue): GoFunction {
  return goFunction(["time.Time"], ([other]) => answer(time.compare(timeOf(other) ?? time)));
}

function named(type: string, value: number, text = ""): Named {
  return new Named(type, int(value), { String: giving(text) }, () => text);
}

/** A `time.Duration` as templates hold it. */
function durationValue(nanoseconds: bigint): Named {
  const inUnits = (unit: bigint): number => Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit);
  const text = (): string => formatGoDuration(nanoseconds);
  const methods = {
    Hours: giving(inUnits(3_600_000_000_000n)),
    Minutes: giving(inUnits(60_000_000_000n)),
    Seconds: giving(inUnits(1_000_000_000n)),
    Milliseconds: giving(int64(nanoseconds / 1_000_000n)),
    Microseconds: giving(int64(nanoseconds / 1_000n)),
    Nanoseconds: giving(int64(nanoseconds)),
    String: giving(text()),
    Abs: goFunction([], () => durationValue(saturate(nanoseconds < 0n ? -nanoseconds : nanoseconds))),
    Round: goFunction(["time.Duration"], ([multiple]) => durationValue(roundGoDuration(nanoseconds, multiple))),
    Truncate: goFunction(["time.Duration"], ([multiple]) =>
      durationValue(multiple <= 0n ? nanoseconds : nanoseconds - (nanoseconds % multiple)),
    ),
  };
  return new Named("time.Duration", new Int("int64", nanoseconds), methods, text);
}
