import { expect, test } from "vitest";
import { decodePem, encodePem } from "./pem.ts";

const block = encodePem("X", Buffer.from("some bytes"));

test.each([
  { reason: "a block alone", text: block },
  { reason: "text around it", text: `before\n${block}after` },
  { reason: "carriage returns and spaces", text: block.replaceAll("\n", " \t\r\n") },
  { reason: "headers", text: block.replace("-----\n", "-----\nProc-Type: 4\n\n") },
  { reason: "a beginning without an end before it", text: `-----BEGIN Y-----\nAAAA\n${block}` },
  { reason: "a broken block before it", text: `${block.replace("c29t", "c2$t")}${block}` },
])("finds the block: $reason", ({ text }) => {
  expect(decodePem(text)).toEqual({ type: "X", bytes: Buffer.from("some bytes") });
});

test.each([
  { reason: "no block", text: "text" },
  { reason: "no end", text: block.replace("END", "DNE") },
  { reason: "an end of another type", text: block.replace("END X", "END Y") },
  { reason: "a beginning within a line", text: ` ${block}` },
  { reason: "text behind the end", text: block.replace(/-----\n$/, "-----x\n") },
  { reason: "no base64", text: block.replace("c29t", "c2$t") },
])("finds nothing: $reason", ({ text }) => {
  expect(decodePem(text)).toBeUndefined();
});

test("lines have 64 letters", () => {
  const lines = encodePem("X", Buffer.alloc(100)).split("\n");
  expect(lines.map(({ length }) => length)).toEqual([17, 64, 64, 8, 15, 0]);
});
