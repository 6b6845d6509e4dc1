/** A day of the proleptic Gregorian calendar; `month` is 1 to 12. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const daysOf400Years = 146_097;

/**
 * Days are counted from the first of March of the year -292277022400, as Go does since 1.24: then every time that
 * 64 bits of seconds can hold is not negative, and leap days come last in their years.
 */
const firstYear = -292_277_022_400;

export function dateOfDay(day: number): CalendarDate {
  const cycle = Math.floor(day / daysOf400Years);
  const dayOfCycle = day - cycle * daysOf400Years;
  const yearOfCycle = Math.floor(
    (dayOfCycle - Math.floor(dayOfCycle / 1_460) + Math.floor(dayOfCycle / 36_524) - Math.floor(dayOfCycle / 146_096)) /
      365,
  );
  const dayFromMarch = dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const monthFromMarch = Math.floor((5 * dayFromMarch + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: firstYear + cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0),
    month,
    day: dayFromMarch - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/** The inverse of `dateOfDay`; months and days beyond their ranges run over into the next. */
export function dayOfDate({ year, month, day }: CalendarDate): number {
  const months = year * 12 + month - 3;
  const yearFromMarch = Math.floor(months / 12) - firstYear;
  const monthFromMarch = months - Math.floor(months / 12) * 12;
  const leapDays = Math.floor(yearFromMarch / 4) - Math.floor(yearFromMarch / 100) + Math.floor(yearFromMarch / 400);
  return yearFromMarch * 365 + leapDays + Math.floor((153 * monthFromMarch + 2) / 5) + day - 1;
}

/** From the first of those days to the first of January 1970. */
export const secondsBefore1970 = BigInt(dayOfDate({ year: 1970, month: 1, day: 1 })) * 86_400n;

/** 0 is Sunday. */
export function weekdayOfDay(day: number): number {
  return (day + 3) % 7;
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(month: number, year: number): number {
  return month === 2 && isLeapYear(year) ? 29 : daysBeforeMonth(month + 1) - daysBeforeMonth(month);
}

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** In a year that is not a leap year; `month` 13 gives the whole year. */
export function daysBeforeMonth(month: number): number {
  return daysBefore[month - 1] ?? 0;
}

/** 1 to 366. */
export function dayOfYear({ year, month, day }: CalendarDate): number {
  return daysBeforeMonth(month) + day + (month > 2 && isLeapYear(year) ? 1 : 0);
}

export const monthNames: readonly string[] = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

export const weekdayNames: readonly string[] = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
];
