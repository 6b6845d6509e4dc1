const pattern =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2}))|[ ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** Whether goyaml.v2 takes a text for a date or a time; it reads it as a string all the same, but quotes such a string when it writes. */
export function isTimestamp(text: string): boolean {
  const match = pattern.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, ...rest] = match
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const [hour, minute, second, zoneHour = 0, zoneMinute = 0, otherHour, otherMinute, otherSecond] = rest;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  const hasTime =
    (hour ?? otherHour ?? 0) < 24 && (minute ?? otherMinute ?? 0) < 60 && (second ?? otherSecond ?? 0) < 60;
  return hasTime && zoneHour <= 24 && zoneMinute <= 60;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
