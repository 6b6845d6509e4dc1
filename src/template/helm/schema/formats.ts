import { isIPv6 } from "node:net";
import { Budget, chartLimits, compileRegexp, FunctionError } from "#golang";
import { parseUrl } from "../../sprig/parse-url.ts";

/** The problem of a text, if there is one. */
type FormatCheck = (text: string) => string | undefined;

const duration = /^P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const semver =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const label = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

const checks: Readonly<Record<string, FormatCheck>> = {
  "json-pointer": (text) => (isJsonPointer(text) ? undefined : "not a JSON pointer"),
  "relative-json-pointer": (text) => {
    const [, rest] = /^(?:0|[1-9]\d*)(#$|.*)/s.exec(text) ?? [];
    return rest !== undefined && (rest === "#" || isJsonPointer(rest)) ? undefined : "not a relative JSON pointer";
  },
  uuid: (text) =>
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? undefined : "not of the form 8-4-4-4-12",
  duration: (text) => (duration.test(text) ? undefined : "not like P1DT2H"),
  period: (text) => {
    const [start = "", end] = text.split(/\/(.*)/s);
    const isStart = start.startsWith("P") ? duration.test(start) : isDateTime(start);
    const isEnd =
      end !== undefined && (end.startsWith("P") && !start.startsWith("P") ? duration.test(end) : isDateTime(end));
    return isStart && isEnd ? undefined : "not two times, or a time and a duration, with a slash between";
  },
  ipv4: (text) => (isIpv4(text) ? undefined : "not four numbers from 0 to 255"),
  ipv6: (text) => (isIPv6(text) && !text.includes("%") ? undefined : "not an IPv6 address"),
  hostname: (text) => (isHostname(text) ? undefined : "not a host name"),
  email: (text) => (isEmail(text) ? undefined : "not an email address"),
  date: (text) => (isDate(text) ? undefined : "not like 2006-01-02"),
  time: (text) => (isTime(text) ? undefined : "not like 15:04:05Z"),
  "date-time": (text) => (isDateTime(text) ? undefined : "not like 2006-01-02T15:04:05Z"),
  uri: (text) => uriProblem(text) ?? (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) ? undefined : "relative url"),
  "uri-reference": (text) => (text.includes("\\") ? "contains \\" : uriProblem(text)),
  "uri-template": (text) => uriProblem(text) ?? (hasPairedBraces(text) ? undefined : "a brace is not closed"),
  semver: (text) => (semver.test(text) ? undefined : "not like 1.2.3"),
  regex: (text) => goProblem(() => void compileRegexp(text, new Budget(chartLimits))),
};

const all = new Map(Object.entries({ ...checks, iri: checks["uri"], "iri-reference": checks["uri-reference"] }));

export function isFormat(name: string): boolean {
  return all.has(name);
}

/** The problem of a text in that format; `undefined` for unknown formats. */
export function checkFormat(name: string, text: string): string | undefined {
  return all.get(name)?.(text);
}

function goProblem(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof FunctionError) return error.message;
    throw error;
  }
}

function uriProblem(text: string): string | undefined {
  return goProblem(() => void parseUrl(text));
}

/** In each part of the path by itself. */
function hasPairedBraces(text: string): boolean {
  const path = text
    .replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, "")
    .replace(/^\/\/[^/?#]*/, "")
    .replace(/[?#].*$/s, "");
  return path.split("/").every((part) => /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(part));
}

function isJsonPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[+-]?\d{1,19})$/.test(part) && !/^0./.test(part) && isByte(Number(part)))
  );
}

function isByte(number: number): boolean {
  return number >= 0 && number <= 255;
}

function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return name.length <= 253 && name.split(".").every((part) => label.test(part));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 || text.length > 254 || local.length > 64) return false;
  const isLocal = /^"[^"\\]*"$/.test(local) || /^(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+\-/=?^_`{|}~]*(?<!\.)$/.test(local);
  const [, literal] = /^\[(.*)\]$/s.exec(domain) ?? [];
  if (literal === undefined) return isLocal && isHostname(domain);
  return isLocal && (literal.startsWith("IPv6:") ? isIPv6(literal.slice(5)) : isIpv4(literal));
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A leap second may be the last one of a day in UTC. */
function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour = "0", offsetMinute = "0"] =
    /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))$/.exec(text) ?? [];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60 || second === undefined) return false;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return false;
  if (Number(second) < 60) return true;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "+" ? -1 : 1);
  const minutes = (Number(hour) * 60 + Number(minute) + offset + 24 * 60) % (24 * 60);
  return minutes === 23 * 60 + 59;
}

function isDateTime(text: string): boolean {
  return /^.{10}[tT]/s.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}
