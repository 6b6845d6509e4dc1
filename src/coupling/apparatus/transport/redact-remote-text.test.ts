import { expect, test } from "vitest";
import { HeldSecrets, Secret } from "#base";
import { redactRemoteText } from "./redact-remote-text.ts";

function asIs(text: string): string {
  return text;
}

test.each([
  { reason: "no text", words: 7, says: "" },
  { reason: "blanks", words: " \n", says: "" },
  { reason: "several lines", words: " no such\r\n\tdatabase\u001b ", says: ": no such database" },
  { reason: "as much as is shown", words: "x".repeat(300), says: `: ${"x".repeat(300)}` },
  { reason: "more than is shown", words: "x".repeat(301), says: `: ${"x".repeat(300)}…` },
  { reason: "more than is read", words: "x".repeat(70_000), says: ": 70000 characters, too many to show" },
])("remote text is shortened, put on one line and masked: $reason", ({ words, says }) => {
  expect(redactRemoteText(words, asIs)).toBe(says);
});

test.each([
  { reason: "short", length: 8 },
  { reason: "longer than what is shown", length: 5_000 },
  { reason: "longer than what is read", length: 100_000 },
])("remote text shows nothing of a secret that is $reason", ({ length }) => {
  const secret = new Secret("s3cr3t-".repeat(length / 4));
  const held = new HeldSecrets();
  held.hold([secret]);
  for (const before of [0, 290, 64_000]) {
    const said = redactRemoteText(`${"x".repeat(before)}${secret.reveal()}`, (text) => held.redact(text));
    expect(said).not.toContain("s3c");
    expect(said.length).toBeLessThan(310);
  }
});
