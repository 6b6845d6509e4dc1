import { expect, test } from "vitest";
import { ConfigAnswers } from "./config-answers.ts";

const nothing = async () => undefined;
const recall = async () => ({ a: 1 });

test("the same question is answered from memory, another one is asked", async () => {
  const answers = new ConfigAnswers();
  answers.keep("p", "plug", { question: "q", answer: { a: 1 } });
  expect(await answers.find("p", "plug", "q", nothing)).toEqual({ a: 1 });
  expect(await answers.find("p", "plug", "r", nothing)).toBeUndefined();
  expect(await answers.find("p", "socket", "q", nothing)).toBeUndefined();
  expect(await answers.find("other", "plug", "q", nothing)).toBeUndefined();
});

test("what was written down counts at first, and after a failure everything is asked anew", async () => {
  const answers = new ConfigAnswers();
  expect(await answers.find("p", "plug", "q", recall)).toEqual({ a: 1 });
  expect(answers.last("p", "plug")).toEqual({ question: "q", answer: { a: 1 } });
  answers.fail("p");
  expect(answers.roundOf("p")).toBe(1);
  expect(await answers.find("p", "plug", "q", recall)).toBeUndefined();
  answers.forget("p");
  expect(await answers.find("p", "plug", "q", recall)).toEqual({ a: 1 });
});
