import { InputError } from "#base";

type Part = (time: Date) => string;

const pad = (value: number, length = 2): string => String(value).padStart(length, "0");
const dayOfYear = (time: Date): number =>
  Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;

/** What `strftime` calls each part, in UTC. Parts that depend on a language are left out. */
const parts: Readonly<Record<string, Part>> = {
  "%": () => "%",
  s: (time) => String(Math.floor(time.getTime() / 1_000)),
  Y: (time) => pad(time.getUTCFullYear(), 4),
  y: (time) => pad(time.getUTCFullYear() % 100),
  m: (time) => pad(time.getUTCMonth() + 1),
  d: (time) => pad(time.getUTCDate()),
  j: (time) => pad(dayOfYear(time), 3),
  H: (time) => pad(time.getUTCHours()),
  M: (time) => pad(time.getUTCMinutes()),
  S: (time) => pad(time.getUTCSeconds()),
  F: (time) => time.toISOString().slice(0, 10),
  T: (time) => time.toISOString().slice(11, 19),
};

/** Writes a time as `strftime` does: `%Y%m%d` for a day, `%s` for seconds since 1970. */
export function formatTimestamp(time: Date, format: string): string {
  return format.replaceAll(/%(.?)/gs, (_, name: string) => {
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (part) return part(time);
    throw new InputError(`%${name} is not a known part of a timestamp format`, {
      where: JSON.stringify(format),
      next: `use ${Object.keys(parts)
        .map((each) => `%${each}`)
        .join(" ")}`,
    });
  });
}
