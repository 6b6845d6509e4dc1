import { inspect } from "node:util";
import { expect, test } from "vitest";
import { redact } from "#base";
import { ConfigAnswers, isSameResult, toStageResult } from "./apparatus-answers.ts";

const nothing = async () => undefined;
const recall = async () => ({ a: 1 });

test("the same question is answered from memory, and another one is not", async () => {
  const answers = new ConfigAnswers();
  answers.keep("plug", { question: "q", answer: { a: 1 } });
  expect(await answers.find("plug", "q", nothing)).toEqual({ a: 1 });
  expect(await answers.find("plug", "r", nothing)).toBeUndefined();
  expect(await answers.find("socket", "q", nothing)).toBeUndefined();
});

test("a stored answer counts after a start, and after a failure the apparatus is asked again", async () => {
  const answers = new ConfigAnswers();
  expect(await answers.find("plug", "q", recall)).toEqual({ a: 1 });
  expect(answers.last("plug")).toEqual({ question: "q", answer: { a: 1 } });
  answers.fail();
  expect(answers.round).toBe(1);
  expect(await answers.find("plug", "q", recall)).toBeUndefined();
});

const textsOf = (result: ReturnType<typeof toStageResult>) => [...result].map(([key, value]) => [key, value.reveal()]);

test("all values of a result become text, as in the answer to /config, and null is left out", () => {
  const simple = { port: 5432, big: 1_000_000, flag: false, nothing: null, empty: "", text: "x" };
  const result = toStageResult({ ...simple, list: ["a", 1], deep: { x: { y: null } } });
  expect(textsOf(result)).toEqual([
    ["port", "5432"],
    ["big", "1000000"],
    ["flag", "false"],
    ["empty", ""],
    ["text", "x"],
    ["list", '["a",1]'],
    ["deep", '{"x":{"y":null}}'],
  ]);
});

test("a key that JavaScript objects inherit is a key like any other", () => {
  const result = toStageResult(JSON.parse('{"__proto__":"a","constructor":"b"}'));
  expect(textsOf(result)).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
  ]);
});

test("a result's value is never printed, and is masked in other texts", () => {
  const result = toStageResult({ password: "hunter22-of-an-answer" });
  expect(inspect(result) + JSON.stringify([...result])).not.toContain("hunter22");
  expect(redact("it is hunter22-of-an-answer")).toBe("it is ***");
});

test.each([
  { one: { a: "b" }, other: { a: "b" }, isSame: true, reason: "the same" },
  { one: { a: 1, b: null }, other: { a: "1" }, isSame: true, reason: "the same as text" },
  { one: { a: "b" }, other: { a: "c" }, isSame: false, reason: "another value" },
  { one: { a: "b" }, other: { c: "b" }, isSame: false, reason: "another key" },
  { one: { a: "b" }, other: {}, isSame: false, reason: "a key less" },
])("results are compared by their values: $reason", ({ one, other, isSame }) => {
  expect(isSameResult(toStageResult(one), toStageResult(other))).toBe(isSame);
  expect(isSameResult(toStageResult(other), toStageResult(one))).toBe(isSame);
});
