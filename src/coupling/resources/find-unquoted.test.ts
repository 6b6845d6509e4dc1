import { expect, test } from "vitest";
import { findUnquoted } from "./find-unquoted.ts";

test.each([
  { text: "a: it's", value: "it's", isFound: true, reason: "a quote" },
  { text: "a: x: y", value: "x: y", isFound: true, reason: "a colon and a space" },
  { text: "a: x #y", value: "x #y", isFound: true, reason: "what begins a comment" },
  { text: 'a: "x: y"', value: "x: y", isFound: false, reason: "between quotes" },
  { text: "a: 'x: y'", value: "x: y", isFound: false, reason: "between single quotes" },
  { text: "a: 'it's'", value: "it's", isFound: true, reason: "a quote between quotes of its own kind" },
  { text: 'a: "it\'s"', value: "it's", isFound: false, reason: "a quote between others" },
  { text: 'a: "x\ny"', value: "x\ny", isFound: true, reason: "a newline, which quotes do not keep" },
  { text: 'a: "x\\ny"', value: "x\ny", isFound: false, reason: "a newline that was quoted" },
  { text: "a: eDogeQ==", value: "x: y", isFound: false, reason: "encoded" },
  { text: 'a: "x: y"\nb: x: y', value: "x: y", isFound: true, reason: "once with and once without" },
  { text: "a: plain", value: "plain", isFound: false, reason: "nothing to quote" },
])("D.2: $value in $text: $reason", ({ text, value, isFound }) => {
  expect(findUnquoted(text, new Map([["plugConfig.v", value]]))).toEqual(isFound ? ["plugConfig.v"] : []);
});
