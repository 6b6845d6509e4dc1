import { dayOfYear, monthNames, weekdayNames } from "./calendar.ts";
import { type GoTime, type ShownTime, showTime } from "./go-time.ts";
import { type LayoutField, type LayoutFraction, type LayoutPart, parseLayout } from "./time-layout.ts";

/** Go's `Time.Format`. */
export function formatTime(time: GoTime, layout: string): string {
  const shown = showTime(time);
  return parseLayout(layout)
    .map((part) => formatPart(part, shown))
    .join("");
}

function formatPart(part: LayoutPart, shown: ShownTime): string {
  if (part.kind === "text") return part.text;
  if (part.kind === "field") return writers[part.text](shown);
  if (part.kind === "offset") return formatOffset(part.text, shown.offset);
  return formatFraction(part, shown.nanosecond);
}

const writers: Readonly<Record<LayoutField, (shown: ShownTime) => string>> = {
  January: ({ month }) => monthNames[month - 1] ?? "",
  Jan: ({ month }) => monthNames[month - 1]?.slice(0, 3) ?? "",
  "1": ({ month }) => digits(month),
  "01": ({ month }) => digits(month, 2),
  Monday: ({ weekday }) => weekdayNames[weekday] ?? "",
  Mon: ({ weekday }) => weekdayNames[weekday]?.slice(0, 3) ?? "",
  "2": ({ day }) => digits(day),
  _2: ({ day }) => digits(day).padStart(2),
  "02": ({ day }) => digits(day, 2),
  __2: (shown) => digits(dayOfYear(shown)).padStart(3),
  "002": (shown) => digits(dayOfYear(shown), 3),
  "15": ({ hour }) => digits(hour, 2),
  "3": ({ hour }) => digits(hour % 12 || 12),
  "03": ({ hour }) => digits(hour % 12 || 12, 2),
  "4": ({ minute }) => digits(minute),
  "04": ({ minute }) => digits(minute, 2),
  "5": ({ second }) => digits(second),
  "05": ({ second }) => digits(second, 2),
  PM: ({ hour }) => (hour >= 12 ? "PM" : "AM"),
  pm: ({ hour }) => (hour >= 12 ? "pm" : "am"),
  "2006": ({ year }) => digits(year, 4),
  "06": ({ year }) => digits(Math.abs(year) % 100, 2),
  MST: ({ zoneName, offset }) => zoneName || formatOffset("-0700", offset),
};

function digits(value: number, width = 0): string {
  return (value < 0 ? "-" : "") + Math.abs(value).toString().padStart(width, "0");
}

/** The sign is that of the minutes, so that half a minute west is +00. */
function formatOffset(element: string, offset: number): string {
  if (offset === 0 && element.startsWith("Z")) return "Z";
  const isWest = offset <= -60;
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const all = [Math.trunc(minutes / 60), minutes % 60, (isWest ? -offset : offset) % 60];
  const count = element.replaceAll(":", "").length >> 1;
  const shown = all.slice(0, count).map((part) => digits(part, 2));
  return (isWest ? "-" : "+") + shown.join(element.includes(":") ? ":" : "");
}

function formatFraction({ text, digits: count, trimmed }: LayoutFraction, nanosecond: number): string {
  const shown = digits(nanosecond, 9).slice(0, count);
  if (!trimmed) return text.charAt(0) + shown;
  const kept = shown.replace(/(?<!0)0+$/, "");
  return kept === "" ? "" : text.charAt(0) + kept;
}
