import { expect, test } from "vitest";
import { slowness } from "./linear-patterns.ts";

test.each([
  /(a+)+b/,
  /\s+$/,
  /^\d+.*\d+$/,
  /\s*\n\s*/g,
  /^\s*[\n\r]\s*$/,
  /^[+-]?(?:[\d_]+\.?[\d_]*|\.[\d_]+)$/,
  /^(?:a|\w+)*$/,
  /^\w+(?:-?\w+)*$/,
  /^[a-z]{2,}[a-z0-9]*$/,
])("%s may take time in the square of the text's length", ({ source, flags }) => {
  expect(slowness(source, flags)).toBeDefined();
});

test.each([
  /[<>&]/g,
  /^[+-]?(?:[\d_]+(?:\.[\d_]*)?|\.[\d_]+)$/,
  /^\w+(?: \w+)*$/,
  /(?<!\/)\/+$/,
  /"(?:[^"\\]|\\.)*"/g,
  /\s*x/y,
  /^(?:0|[1-9]\d*)(#$|.*)/s,
  /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
])("%s takes time in proportion to the text's length", ({ source, flags }) => {
  expect(slowness(source, flags)).toBeUndefined();
});
