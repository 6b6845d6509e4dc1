interface CronField {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields: readonly CronField[] = [
  { name: "minute", least: 0, most: 59, words: [] },
  { name: "hour", least: 0, most: 23, words: [] },
  { name: "day of the month", least: 1, most: 31, words: [] },
  { name: "month", least: 1, most: 12, words: months },
  { name: "day of the week", least: 0, most: 6, words: days },
];

const nicknames = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/** For each field, the numbers at which it fires. */
export type CronSchedule = readonly (readonly number[])[];

/**
 * Parses a schedule as the CronJob controller of Kubernetes does (robfig/cron, standard parser), or returns an error message.
 * Sunday is 0, not 7; the time zone is a separate field of a CronJob.
 */
export function parseCron(text: string): CronSchedule | string {
  if (nicknames.includes(text.trim())) return [];
  if (text.trim().startsWith("@")) return `expected one of ${nicknames.join(", ")}, got ${text.trim()}`;
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    const found = text.trim() === "" ? 0 : parts.length;
    return `expected 5 fields (minute, hour, day of the month, month, day of the week), got ${found}`;
  }
  const schedule: number[][] = [];
  for (const [index, field] of fields.entries()) {
    const times = new Set<number>();
    for (const range of (parts[index] ?? "").split(",")) {
      const found = parseRange(range, field);
      if (typeof found === "string") return `the ${field.name} is ${JSON.stringify(parts[index])}: ${found}`;
      for (const time of found) times.add(time);
    }
    schedule.push([...times].toSorted((a, b) => a - b));
  }
  return schedule;
}

function parseRange(text: string, field: CronField): number[] | string {
  const match = /^(?<from>[*?]|\w+)(?:-(?<to>\w+))?(?:\/(?<step>\w+))?$/.exec(text);
  const { from = "", to, step } = match?.groups ?? {};
  if (!match) return `expected a number, a range or *, got ${JSON.stringify(text)}`;
  const isStar = from === "*" || from === "?";
  if (isStar && to !== undefined) return "a range must start with a number";
  const first = isStar ? field.least : parseTime(from, field);
  if (typeof first === "string") return first;
  // "5/15" means every 15 from 5 on, "5" means 5 only.
  const last = to === undefined ? (isStar || step !== undefined ? field.most : first) : parseTime(to, field);
  if (typeof last === "string") return last;
  if (first > last) return `the range ${text} ends before it starts`;
  const every = step === undefined ? 1 : Number(step);
  if (!Number.isInteger(every) || every < 1) return `expected a step of 1 or more, got ${step}`;
  const times: number[] = [];
  for (let time = first; time <= last; time += every) times.push(time);
  return times;
}

function parseTime(text: string, { least, most, words }: CronField): number | string {
  const word = words.indexOf(text.toLowerCase());
  const time = word === -1 ? Number(text) : word + least;
  if (word === -1 && !/^\d+$/.test(text)) return `${text} is not a number${words.length > 0 ? " or name" : ""}`;
  if (time >= least && time <= most) return time;
  return most === 6 && time === 7 ? "Sunday is 0, not 7" : `${text} is not between ${least} and ${most}`;
}
