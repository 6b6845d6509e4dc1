import {
  type Budget,
  type CallContext,
  formatGoDuration,
  formatTime,
  FunctionError,
  type GoFunction,
  goFunction,
  GoTime,
  type GoValue,
  Int,
  loadZone,
  localZone,
  parseGoDuration,
  parseTime,
  roundGoDuration,
  nanosecondsPerSecond,
  timeOf,
  timeValue,
  unixTime,
  utc,
  zeroTime,
} from "#golang";
import { nearestInt } from "./cast.ts";

const dateInZone = goFunction(["string", "any", "string"], ([layout, date, zone], context) =>
  formatInZone(layout, date, zone, context),
);

const dateModify = goFunction(["string", "time.Time"], ([duration, date], { budget }) => {
  const nanoseconds = orOnError(() => readDuration(duration, budget), undefined);
  return nanoseconds === undefined ? date : timeValue(timeOfArgument(date).add(nanoseconds));
});

const mustDateModify = goFunction(["string", "time.Time"], ([duration, date], { budget }) =>
  timeValue(timeOfArgument(date).add(readDuration(duration, budget))),
);

/** Times and durations. */
export const dates: Record<string, GoFunction> = {
  now: goFunction([], (_, context) => timeValue(currentTime(context)), { unstable: true }),
  ago: goFunction(
    ["any"],
    ([date], context) => {
      const time = timeFrom(date, ["int64", "int"]) ?? currentTime(context);
      return formatGoDuration(roundGoDuration(currentTime(context).minus(time), nanosecondsPerSecond));
    },
    { unstable: true },
  ),
  date: goFunction(["string", "any"], ([layout, date], context) => formatInZone(layout, date, "Local", context)),
  dateInZone,
  date_in_zone: dateInZone,
  htmlDate: goFunction(["any"], ([date], context) => formatInZone("2006-01-02", date, "Local", context)),
  htmlDateInZone: goFunction(["any", "string"], ([date, zone], context) =>
    formatInZone("2006-01-02", date, zone, context),
  ),
  dateModify,
  date_modify: dateModify,
  mustDateModify,
  must_date_modify: mustDateModify,
  toDate: goFunction(["string", "string"], ([layout, text], { budget }) =>
    timeValue(orOnError(() => readTime(layout, text, budget), zeroTime)),
  ),
  mustToDate: goFunction(["string", "string"], ([layout, text], { budget }) =>
    timeValue(readTime(layout, text, budget)),
  ),
  unixEpoch: goFunction(["time.Time"], ([date]) => timeOfArgument(date).unix.toString()),
  duration: goFunction(["any"], ([seconds]) =>
    formatGoDuration(BigInt.asIntN(64, secondsFrom(seconds) * nanosecondsPerSecond)),
  ),
  durationRound: goFunction(["any"], ([duration], context) => largestUnit(durationFrom(duration, context))),
};

function readTime(layout: string, text: string, budget: Budget): GoTime {
  budget.takeApart(layout);
  budget.takeApart(text);
  return parseTime(layout, text, localZone());
}

function readDuration(text: string, budget: Budget): bigint {
  budget.takeApart(text);
  return parseGoDuration(text);
}

function currentTime({ now }: CallContext): GoTime {
  const milliseconds = now();
  const seconds = Math.floor(milliseconds / 1_000);
  const nanosecond = Math.floor((milliseconds - seconds * 1_000) * 1_000_000);
  const { internal, zone } = unixTime(BigInt(seconds), localZone());
  return new GoTime(internal, nanosecond, zone, BigInt(Math.round(performance.now() * 1_000_000)));
}

/** What is neither a time nor a number of seconds means now. */
function formatInZone(layout: string, date: GoValue, zoneName: string, context: CallContext): string {
  const time = timeFrom(date, ["int64", "int", "int32"]) ?? currentTime(context);
  // An element of the layout is at least a byte, and gives at most nine.
  context.budget.make(layout.length * 9);
  return formatTime(time.in(loadZone(zoneName) ?? utc), layout);
}

function timeFrom(value: GoValue, kinds: readonly string[]): GoTime | undefined {
  if (value instanceof Int && kinds.includes(value.kind)) return unixTime(value.value, localZone());
  return timeOf(value);
}

function timeOfArgument(value: GoValue): GoTime {
  return timeOf(value) ?? zeroTime;
}

function secondsFrom(value: GoValue): bigint {
  if (typeof value === "string") return nearestInt(value);
  return value instanceof Int && value.kind === "int64" ? value.value : 0n;
}

function durationFrom(value: GoValue, context: CallContext): bigint {
  if (typeof value === "string") return orOnError(() => readDuration(value, context.budget), 0n);
  if (value instanceof Int) return value.kind === "int64" ? value.value : 0n;
  const time = timeOf(value);
  return time === undefined ? 0n : currentTime(context).minus(time);
}

const unitSizes: readonly (readonly [string, bigint])[] = [
  ["y", 365n * 86_400n * nanosecondsPerSecond],
  ["mo", 30n * 86_400n * nanosecondsPerSecond],
  ["d", 86_400n * nanosecondsPerSecond],
  ["h", 3_600n * nanosecondsPerSecond],
  ["m", 60n * nanosecondsPerSecond],
  ["s", nanosecondsPerSecond],
];

/** Without its sign; a unit counts only if the duration is longer than it. */
function largestUnit(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  for (const [unit, unitSize] of unitSizes) if (size > unitSize) return `${size / unitSize}${unit}`;
  return "0s";
}

/** Sprig drops the errors of functions that have a `must` twin. */
function orOnError<T, U>(compute: () => T, otherwise: U): T | U {
  try {
    return compute();
  } catch (error) {
    if (error instanceof FunctionError) return otherwise;
    throw error;
  }
}
