import { describe, expect, test } from "vitest";
import { parseCron } from "./parse-cron.ts";

const every = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const anyTime = [every(0, 59), every(0, 23), every(1, 31), every(1, 12), every(0, 6)];
const at = (...changes: (number[] | undefined)[]) => anyTime.map((field, index) => changes[index] ?? field);

describe("a schedule as the CronJob controller reads it", () => {
  test.each([
    { text: "* * * * *", schedule: anyTime, reason: "every minute" },
    { text: "*/5 * * * *", schedule: at(every(0, 59, 5)), reason: "steps" },
    {
      text: "0 */2 * * *",
      schedule: at([0], every(0, 23, 2)),
      reason: "the pattern of app-interface refuses this one",
    },
    { text: "0 0 * * MON", schedule: at([0], [0], undefined, undefined, [1]), reason: "and names" },
    {
      text: "30 3 1,15 jan-mar sun,Sat",
      schedule: at([30], [3], [1, 15], [1, 2, 3], [0, 6]),
      reason: "lists, ranges, names",
    },
    { text: "50/3 * ? * ?", schedule: at([50, 53, 56, 59]), reason: "a step from some minute on, and a question mark" },
    { text: "10-20/5 * * * *", schedule: at([10, 15, 20]), reason: "a step within a range" },
    { text: "  1  2 \t3 4 5 ", schedule: [[1], [2], [3], [4], [5]], reason: "spaces" },
    { text: "1,1,0 * * * *", schedule: at([0, 1]), reason: "a time that is listed twice" },
  ])("$text: $reason", ({ text, schedule }) => {
    expect(parseCron(text)).toEqual(schedule);
  });

  test.each(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"])("%s", (text) => {
    expect(parseCron(text)).toEqual([]);
  });
});

describe("what is no schedule", () => {
  test.each([
    { text: "00000", says: "it has 1 field, and needs five" },
    { text: "", says: "it has 0 fields" },
    { text: "* * * * * *", says: "it has 6 fields" },
    { text: "60 * * * *", says: 'the minute is "60": 60 is not between 0 and 59' },
    { text: "* 24 * * *", says: "24 is not between 0 and 23" },
    { text: "* * 0 * *", says: "0 is not between 1 and 31" },
    { text: "* * * 13 *", says: "13 is not between 1 and 12" },
    { text: "* * * * 7", says: "Sunday is 0, not 7" },
    { text: "* * * * MOON", says: "MOON is not a number or name" },
    { text: "a * * * *", says: "a is not a number" },
    { text: "20-10 * * * *", says: "the range 20-10 ends before it begins" },
    { text: "*/0 * * * *", says: "the step 0 is not a number of 1 or more" },
    { text: "*/x * * * *", says: "the step x is not a number" },
    { text: "1,,2 * * * *", says: '"" is neither a number, nor a range, nor *' },
    { text: "-5 * * * *", says: '"-5" is neither a number' },
    { text: "*-5 * * * *", says: "a range begins with a number" },
    { text: "1.5 * * * *", says: '"1.5" is neither a number' },
    { text: "@every 5m", says: "@every 5m is not one of @yearly" },
    { text: "TZ=UTC 0 0 * * *", says: "it has 6 fields" },
  ])("$text: $says", ({ text, says }) => {
    expect(parseCron(text)).toEqual(expect.stringContaining(says));
  });
});
