import { expect, test } from "vitest";
import { fc } from "#seeded";
import { Budget, chartLimits } from "#golang";
import { letters } from "./letters.ts";

function shuffle(text: string): string {
  const context = { budget: new Budget(chartLimits), now: () => 0, host: {} };
  const shuffled = letters["shuffle"]?.call([text], context);
  return typeof shuffled === "string" ? shuffled : "";
}

test("shuffle keeps all letters and changes only their order", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(Array.from(shuffle(text)).toSorted()).toEqual(Array.from(text).toSorted());
    }),
  );
});

test("shuffle changes the order", () => {
  const text = "abcdefghijklmnopqrstuvwxyz";
  expect(new Set(Array.from({ length: 20 }, () => shuffle(text))).size).toBeGreaterThan(10);
});

test("shuffle takes invalid UTF-8 for one character", () => {
  expect(shuffle("\udcff\udcfe")).toBe("\ufffd\ufffd");
});

test("shuffle is marked unstable", () => {
  expect(letters["shuffle"]?.unstable).toBe(true);
});
