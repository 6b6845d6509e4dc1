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
 * Reads a schedule as the CronJob controller of Kubernetes does (robfig/cron, standard parser), or says what is wrong.
 * Sunday is 0 and not 7 there; a time zone has a field of its own in a CronJob.
 */
export function parseCron(text: string): CronSchedule | string {
  if (nicknames.includes(text.trim())) return [];
  if (text.trim().startsWith("@")) return `${text.trim()} is not one of ${nicknames.join(", ")}`;
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    const found = text.trim() === "" ? 0 : parts.length;
    return `it has ${found} ${found === 1 ? "field" : "fields"}, and needs five: minute, hour, day of the month, month, day of the week`;
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
  if (!match) return `${JSON.stringify(text)} is neither a number, nor a range, nor *`;
  const isStar = from === "*" || from === "?";
  if (isStar && to !== undefined) return "a range begins with a number";
  const first = isStar ? field.least : parseTime(from, field);
  if (typeof first === "string") return first;
  // "5/15" means from 5 on, and "5" means 5 alone.
  const last = to === undefined ? (isStar || step !== undefined ? field.most : first) : parseTime(to, field);
  if (typeof last === "string") return last;
  if (first > last) return `the range ${text} ends before it begins`;
  const every = step === undefined ? 1 : Number(step);
  if (!Number.isInteger(every) || every < 1) return `the step ${step} is not a number of 1 or more`;
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
