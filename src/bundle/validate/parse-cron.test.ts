import { describe, expect, test } from "vitest";
import { parseCron } from "./parse-cron.ts";

const every = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const anyTime = [every(0, 59), every(0, 23), every(1, 31), every(1, 12), every(0, 6)];
const at = (...changes: (number[] | undefined)[]) => anyTime.map((field, index) => changes[index] ?? field);

describe("parseCron reads a schedule as the CronJob controller does", () => {
  test.each([
    { text: "* * * * *", schedule: anyTime, reason: "every minute" },
    { text: "*/5 * * * *", schedule: at(every(0, 59, 5)), reason: "steps" },
    {
      text: "0 */2 * * *",
      schedule: at([0], every(0, 23, 2)),
      reason: "the pattern of app-interface rejects this one",
    },
    { text: "0 0 * * MON", schedule: at([0], [0], undefined, undefined, [1]), reason: "names of days" },
    {
      text: "30 3 1,15 jan-mar sun,Sat",
      schedule: at([30], [3], [1, 15], [1, 2, 3], [0, 6]),
      reason: "lists, ranges, names",
    },
    { text: "50/3 * ? * ?", schedule: at([50, 53, 56, 59]), reason: "a step from a minute on, and a question mark" },
    { text: "10-20/5 * * * *", schedule: at([10, 15, 20]), reason: "a step within a range" },
    { text: "  1  2 \t3 4 5 ", schedule: [[1], [2], [3], [4], [5]], reason: "spaces" },
    { text: "1,1,0 * * * *", schedule: at([0, 1]), reason: "a duplicate time" },
  ])("$text: $reason", ({ text, schedule }) => {
    expect(parseCron(text)).toEqual(schedule);
  });

  test.each(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"])("%s", (text) => {
    expect(parseCron(text)).toEqual([]);
  });
});

describe("parseCron rejects", () => {
  test.each([
    { text: "00000", says: "day of the week), got 1" },
    { text: "", says: "expected 5 fields (minute, hour, day of the month, month, day of the week), got 0" },
    { text: "* * * * * *", says: "day of the week), got 6" },
    { text: "60 * * * *", says: 'the minute is "60": 60 is not between 0 and 59' },
    { text: "* 24 * * *", says: "24 is not between 0 and 23" },
    { text: "* * 0 * *", says: "0 is not between 1 and 31" },
    { text: "* * * 13 *", says: "13 is not between 1 and 12" },
    { text: "* * * * 7", says: "Sunday is 0, not 7" },
    { text: "* * * * MOON", says: "MOON is not a number or name" },
    { text: "a * * * *", says: "a is not a number" },
    { text: "20-10 * * * *", says: "the range 20-10 ends before it starts" },
    { text: "*/0 * * * *", says: "expected a step of 1 or more, got 0" },
    { text: "*/x * * * *", says: "expected a step of 1 or more, got x" },
    { text: "1,,2 * * * *", says: 'expected a number, a range or *, got ""' },
    { text: "-5 * * * *", says: 'expected a number, a range or *, got "-5"' },
    { text: "*-5 * * * *", says: "a range must start with a number" },
    { text: "1.5 * * * *", says: 'expected a number, a range or *, got "1.5"' },
    { text: "@every 5m", says: "expected one of @yearly" },
    { text: "TZ=UTC 0 0 * * *", says: "day of the week), got 6" },
  ])("$text: $says", ({ text, says }) => {
    expect(parseCron(text)).toEqual(expect.stringContaining(says));
  });
});
