import {
  dateOfDay,
  dayOfDate,
  dayOfYear,
  daysBeforeMonth,
  isLeapYear,
  secondsBefore1970,
  weekdayOfDay,
} from "./calendar.ts";

const day = 86_400;
const epochDay = Number(secondsBefore1970) / day;

/** How far local time is from UTC between two changes; seconds since 1970, `end` excluded. */
export interface ZonePeriod {
  /** The abbreviation, such as CET; "" if the zone has none. */
  readonly name: string;
  /** Seconds east of UTC. */
  readonly offset: number;
  readonly isDaylight: boolean;
  readonly start: number;
  readonly end: number;
}

export type ZoneKind = Pick<ZonePeriod, "name" | "offset" | "isDaylight">;

/** When clocks change, by the rule at the end of a file of the time zone database: `CET-1CEST,M3.5.0,M10.5.0/3`. */
export interface DaylightRule {
  readonly standard: ZoneKind;
  readonly daylight: (ZoneKind & { readonly start: YearlyTime; readonly end: YearlyTime }) | undefined;
}

interface YearlyTime {
  /** Days of the year from 0. */
  readonly dayIn: (year: number) => number;
  readonly second: number;
}

const nameAhead = "(?:<([^>]+)>|([A-Za-z]{3,}))";
const offsetAhead = "([+-]?\\d+(?::\\d+){0,2})";
const wholeRule = new RegExp(`^${nameAhead}${offsetAhead}(?:${nameAhead}${offsetAhead}?,([^,]+),([^,]+))?$`);

export function parseDaylightRule(text: string): DaylightRule | undefined {
  const match = wholeRule.exec(text);
  if (match === null) return undefined;
  const [, quoted, plain, standardOffset = "", quotedDaylight, plainDaylight, daylightOffset, start, end] = match;
  const offset = -parseOffset(standardOffset);
  const standard = { name: quoted ?? plain ?? "", offset, isDaylight: false };
  if (start === undefined || end === undefined) return { standard, daylight: undefined };
  const daylight = {
    name: quotedDaylight ?? plainDaylight ?? "",
    offset: daylightOffset === undefined ? offset + 3_600 : -parseOffset(daylightOffset),
    isDaylight: true,
    start: parseYearlyTime(start),
    end: parseYearlyTime(end),
  };
  return { standard, daylight };
}

function parseOffset(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, "").split(":").map(Number);
  const size = hours * 3_600 + minutes * 60 + seconds;
  return text.startsWith("-") ? -size : size;
}

function parseYearlyTime(text: string): YearlyTime {
  const [date = "", time] = text.split("/");
  const second = time === undefined ? 7_200 : parseOffset(time);
  if (date.startsWith("J")) {
    const number = Number(date.slice(1));
    return { second, dayIn: (year) => number - 1 + (isLeapYear(year) && number >= 60 ? 1 : 0) };
  }
  if (!date.startsWith("M")) return { second, dayIn: () => Number(date) };
  const [month = 0, week = 0, weekday = 0] = date.slice(1).split(".").map(Number);
  return { second, dayIn: (year) => nthWeekday(year, month, week, weekday) };
}

/** The fifth is the last. */
function nthWeekday(year: number, month: number, week: number, weekday: number): number {
  const first = dayOfDate({ year, month, day: 1 });
  const next = dayOfDate({ year, month: month + 1, day: 1 });
  let found = first + ((weekday - weekdayOfDay(first) + 7) % 7) + (week - 1) * 7;
  while (found >= next) found -= 7;
  return found - first + daysBeforeMonth(month) + (isLeapYear(year) && month > 2 ? 1 : 0);
}

/**
 * The period of a time after the last change that was written out. Go ends a period that runs over New Year there,
 * which only shows in how it reads local times, so this does too.
 */
export function periodByRule({ standard, daylight }: DaylightRule, lastChange: number, second: number): ZonePeriod {
  if (daylight === undefined) return { ...standard, start: lastChange, end: Infinity };
  const date = dateOfDay(epochDay + Math.floor(second / day));
  const sinceNewYear = (dayOfYear(date) - 1) * day + (second % day);
  const newYear = second - sinceNewYear;
  const toDaylight = yearlySecond(daylight.start, date.year, standard.offset);
  const toStandard = yearlySecond(daylight.end, date.year, daylight.offset);
  const [within, without] = toStandard < toDaylight ? [standard, daylight] : [daylight, standard];
  const start = Math.min(toDaylight, toStandard);
  const end = Math.max(toDaylight, toStandard);
  if (sinceNewYear < start) return { ...kindOf(without), start: newYear, end: newYear + start };
  if (sinceNewYear >= end) return { ...kindOf(without), start: newYear + end, end: newYear + 365 * day };
  return { ...kindOf(within), start: newYear + start, end: newYear + end };
}

function yearlySecond({ dayIn, second }: YearlyTime, year: number, offset: number): number {
  return dayIn(year) * day + second - offset;
}

function kindOf({ name, offset, isDaylight }: ZoneKind): ZoneKind {
  return { name, offset, isDaylight };
}
