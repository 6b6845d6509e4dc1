import { toBytes } from "../value/bytes.ts";
import { FunctionError } from "../value/go-function.ts";
import { daysBeforeMonth, daysInMonth, isLeapYear, monthNames, weekdayNames } from "./calendar.ts";
import { quoteBytes } from "./go-duration.ts";
import { type GoTime, unixTime, wallTime } from "./go-time.ts";
import { type LayoutField, type LayoutFraction, type LayoutPart, parseLayout } from "./time-layout.ts";
import { byteText, Mismatch, OutOfRange, quoteByteText, TimeScanner } from "./time-scanner.ts";
import { fixedZone, utc, type Zone } from "./zone.ts";

/** What the elements of a layout have said so far. */
interface ReadTime {
  year: number;
  month?: number;
  day?: number;
  yearDay?: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half?: string;
  isUtc?: boolean;
  offset?: number;
  zoneName: string;
}

/** Go's `time.ParseInLocation`. Throws a `FunctionError` with Go's text. */
export function parseTime(layout: string, value: string, zone: Zone): GoTime {
  const invalid = (problem: string): FunctionError =>
    new FunctionError(`parsing time ${quoteBytes(toBytes(value))}${problem}`);
  const scanner = new TimeScanner(value);
  const read: ReadTime = { year: 0, hour: 0, minute: 0, second: 0, nanosecond: 0, zoneName: "" };
  const parts = parseLayout(byteText(layout));
  for (const [index, part] of parts.entries()) {
    const before = scanner.rest;
    try {
      readPart(part, parts.slice(index + 1, index + 3), scanner, read);
    } catch (error) {
      if (error instanceof OutOfRange) throw invalid(`: ${error.message} out of range`);
      if (!(error instanceof Mismatch)) throw error;
      const seen = quoteByteText(part.kind === "text" ? scanner.rest : before);
      throw invalid(` as ${quoteBytes(toBytes(layout))}: cannot parse ${seen} as ${quoteByteText(part.text)}`);
    }
  }
  if (!scanner.isAtEnd) throw invalid(`: extra text: ${quoteByteText(scanner.rest)}`);
  const date = dateOf(read);
  if (typeof date === "string") throw invalid(`: ${date}`);
  return timeOf({ ...read, ...date }, zone);
}

/** `following` are the next two parts: one of them is not text, unless the layout ends. */
function readPart(part: LayoutPart, following: readonly LayoutPart[], scanner: TimeScanner, read: ReadTime): void {
  switch (part.kind) {
    case "text":
      scanner.text(part.text);
      return;
    case "offset":
      readOffset(part.text, scanner, read);
      return;
    case "fraction":
      readFraction(part, scanner, read);
      return;
    case "field": {
      readers[part.text](scanner, read);
      // A fraction may follow the seconds even where the layout has none.
      const isSecond = part.text === "5" || part.text === "05";
      if (isSecond && following.find(({ kind }) => kind !== "text")?.kind !== "fraction")
        readAnyFraction(scanner, read);
    }
  }
}

const one = /^\d{1,2}/;
const two = /^\d\d/;
const shortMonthNames = monthNames.map((name) => name.slice(0, 3));
const shortWeekdayNames = weekdayNames.map((name) => name.slice(0, 3));

type Reader = (scanner: TimeScanner, read: ReadTime) => void;

function numberReader(name: "hour" | "minute" | "second" | "day", expression: RegExp, most: number): Reader {
  return (scanner, read) => {
    read[name] = scanner.number(expression, most, name);
  };
}

function monthReader(expression: RegExp): Reader {
  return (scanner, read) => {
    read.month = scanner.number(expression, 12, "month");
    if (read.month === 0) throw new OutOfRange("month");
  };
}

function halfReader(expression: RegExp): Reader {
  return (scanner, read) => {
    read.half = scanner.taken(expression).toLowerCase();
  };
}

const readers: Readonly<Record<LayoutField, Reader>> = {
  January: (scanner, read) => {
    read.month = scanner.named(monthNames) + 1;
  },
  Jan: (scanner, read) => {
    read.month = scanner.named(shortMonthNames) + 1;
  },
  "1": monthReader(one),
  "01": monthReader(two),
  Monday: (scanner) => void scanner.named(weekdayNames),
  Mon: (scanner) => void scanner.named(shortWeekdayNames),
  "2": numberReader("day", one, 99),
  _2: numberReader("day", /^ ?\d{1,2}/, 99),
  "02": numberReader("day", two, 99),
  __2: (scanner, read) => {
    read.yearDay = Number(scanner.taken(/^ {0,2}\d{1,3}/));
  },
  "002": (scanner, read) => {
    read.yearDay = Number(scanner.taken(/^\d{3}/));
  },
  "15": numberReader("hour", one, 23),
  "3": numberReader("hour", one, 12),
  "03": numberReader("hour", two, 12),
  "4": numberReader("minute", one, 59),
  "04": numberReader("minute", two, 59),
  "5": numberReader("second", one, 59),
  "05": numberReader("second", two, 59),
  PM: halfReader(/^[AP]M/),
  pm: halfReader(/^[ap]m/),
  "2006": (scanner, read) => {
    read.year = Number(scanner.taken(/^\d{4}/));
  },
  "06": (scanner, read) => {
    const year = Number(scanner.taken(/^(?:\d\d|[+-]\d)/));
    read.year = year + (year >= 69 ? 1_900 : 2_000);
  },
  MST: (scanner, read) => {
    if (scanner.takeIf(/^UTC/) === undefined) read.zoneName = scanner.taken(zoneNameAhead);
    else read.isUtc = true;
  },
};

/** Three capitals, four or five that end in T, a few others, or hours up to 23, which are three characters or more. */
const zoneNameAhead =
  /^(?:ChST|MeST|GMT(?:[+-]0*(?:1?\d|2[0-3])(?!\d))?|[+-](?=..)0*(?:1?\d|2[0-3])(?!\d)|(?:[A-Z]{3}|[A-Z]{3,4}T|WITA)(?![A-Z]))/;

/** An offset that is too large is reported before one that is not an offset. */
function readOffset(element: string, scanner: TimeScanner, read: ReadTime): void {
  if (element.startsWith("Z") && scanner.takeIf(/^Z/) !== undefined) {
    read.isUtc = true;
    return;
  }
  const shape = element.replaceAll(/[^:]/g, "[^]");
  const text = scanner.taken(new RegExp(`^${shape}`));
  const parts = text.slice(1).match(element.includes(":") ? /[^:]+/g : /[^]{2}/g) ?? [];
  const firstBad = parts.findIndex((part) => !two.test(part));
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(0, firstBad < 0 ? 3 : firstBad).map(Number);
  if (seconds > 60) throw new OutOfRange("time zone offset second");
  if (minutes > 60) throw new OutOfRange("time zone offset minute");
  if (hours > 24) throw new OutOfRange("time zone offset hour");
  if (firstBad >= 0 || !/^[+-]/.test(text)) throw new Mismatch();
  const size = hours * 3_600 + minutes * 60 + seconds;
  read.offset = text.startsWith("-") ? -size : size;
}

function readAnyFraction(scanner: TimeScanner, read: ReadTime): void {
  const text = scanner.takeIf(/^[.,]\d+/);
  if (text !== undefined) read.nanosecond = nanosecondsOf(text);
}

function readFraction({ digits, trimmed }: LayoutFraction, scanner: TimeScanner, read: ReadTime): void {
  if (trimmed) readAnyFraction(scanner, read);
  else read.nanosecond = nanosecondsOf(scanner.exactly(1 + digits));
}

/** A point or comma, and digits of which nine count. */
function nanosecondsOf(text: string): number {
  const match = /^[.,](?<sign>[+-]?)(?<digits>\d*)$/.exec(text.slice(0, 10));
  if (match?.groups === undefined) throw new Mismatch();
  const { sign = "", digits = "" } = match.groups;
  const value = Number(digits) * 10 ** (9 - sign.length - digits.length);
  if (sign === "-" && value > 0) throw new OutOfRange("fractional second");
  return value;
}

/** The month and day, or what is wrong with them. */
function dateOf({ year, month, day, yearDay }: ReadTime): { month: number; day: number } | string {
  if (yearDay === undefined) {
    const date = { month: month ?? 1, day: day ?? 1 };
    return date.day < 1 || date.day > daysInMonth(date.month, year) ? "day out of range" : date;
  }
  const leapDay = isLeapYear(year) ? 1 : 0;
  if (yearDay < 1 || yearDay > 365 + leapDay) return "day-of-year out of range";
  const before = (start: number): number => daysBeforeMonth(start) + (start > 2 ? leapDay : 0);
  let found = 1;
  while (before(found + 1) < yearDay) found += 1;
  const date = { month: found, day: yearDay - before(found) };
  if (month !== undefined && month !== date.month) return "day-of-year does not match month";
  return day !== undefined && day !== date.day ? "day-of-year does not match day" : date;
}

function timeOf(read: ReadTime & { month: number; day: number }, zone: Zone): GoTime {
  const { half, hour, isUtc, offset, zoneName, nanosecond } = read;
  const hour24 = half === "pm" && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour;
  const wall = { ...read, hour: hour24 };
  if (isUtc === true) return wallTime(wall, utc);
  const local = wallTime(wall, utc);
  // Go takes an offset of one second west for none.
  if (offset !== undefined && offset !== -1) {
    const unix = local.unix - BigInt(offset);
    const period = zone.periodAt(Number(unix));
    const fits = period.offset === offset && (zoneName === "" || period.name === zoneName);
    return unixTime(unix, fits ? zone : fixedZone(zoneName, offset), nanosecond);
  }
  if (zoneName === "") return wallTime(wall, zone);
  const known = zone.offsetByName(zoneName, Number(local.unix));
  if (known !== undefined) return unixTime(local.unix - BigInt(known), zone, nanosecond);
  // What an unknown name stands for is unknown: its clock is taken for UTC's, even that of GMT+3.
  return local.in(fixedZone(zoneName, zoneName.startsWith("GMT") ? Number(zoneName.slice(3)) * 3_600 : 0));
}
