import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.each([
  { text: "20m", ms: 1_200_000 },
  { text: "1h30m", ms: 5_400_000 },
  { text: "500ms", ms: 500 },
  { text: "1.5s", ms: 1_500 },
  { text: "7d", ms: 604_800_000 },
  { text: "0s", ms: 0 },
])("$text is $ms ms", ({ text, ms }) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "20", "m", "20 m", "-1m", "20M", "1m 30s", "20min", "1e3s", "9".repeat(30) + "d"])(
  "%j is none",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  { ms: 300_000, text: "5m" },
  { ms: 5_400_000, text: "1h30m" },
  { ms: 1_500, text: "2s" },
  { ms: 90_061_000, text: "1d1h" },
  { ms: 3_605_000, text: "1h" },
  { ms: 0, text: "0s" },
  { ms: -5, text: "0s" },
])("$ms ms is written $text, in at most two units", ({ ms, text }) => {
  expect(formatDuration(ms)).toBe(text);
});
