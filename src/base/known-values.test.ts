import { describe, expect, it } from "vitest";
import { fc } from "#seeded";
import { KnownValues } from "./known-values.ts";
import { writtenForms } from "./written-forms.ts";

function knowing(...values: string[]): KnownValues {
  const known = new KnownValues();
  for (const value of values) known.hold(value);
  return known;
}

/** Lone surrogates included. */
function anyString(constraints: fc.ArrayConstraints): fc.Arbitrary<string> {
  return fc.array(fc.nat(0xffff), constraints).map((units) => String.fromCharCode(...units));
}

const anyValue = anyString({ minLength: 6 });
const anyText = anyString({});
/** So few letters that values overlap, repeat and spell one another out of masks. */
const tangledText = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 60 });
const tangledValues = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 6, maxLength: 9 }));

describe("KnownValues", () => {
  it.each([
    { reason: "a value", values: ["hunter22"], text: "login hunter22 failed", redacted: "login *** failed" },
    { reason: "each of its places", values: ["hunter22"], text: "hunter22, hunter22", redacted: "***, ***" },
    { reason: "the longer of two", values: ["hunter", "hunter22"], text: "-hunter22-", redacted: "-***-" },
    { reason: "the outer of two", values: ["cdefgh", "abcdefghij"], text: "-abcdefghij-", redacted: "-***-" },
    { reason: "both when they overlap", values: ["abcdef", "cdefgh"], text: "-abcdefgh-", redacted: "-***-" },
    { reason: "a value overlapping itself", values: ["abaaba"], text: "-abaabaaba-", redacted: "-***-" },
    { reason: "neighbours as one", values: ["abcdef", "uvwxyz"], text: "-abcdefuvwxyz-", redacted: "-***-" },
    { reason: "what a mask completes", values: ["abcdef", "x***yz"], text: "xabcdefyz", redacted: "***" },
    {
      reason: "without a file's newline",
      values: ["hunter22\n"],
      text: "login hunter22 failed",
      redacted: "login *** failed",
    },
    { reason: "blanks that would be nothing stripped", values: ["  ab  "], text: "[  ab  ] ab", redacted: "[***] ab" },
    { reason: "nothing of a short value", values: ["short"], text: "a short text", redacted: "a short text" },
  ])("masks $reason", ({ values, text, redacted }) => {
    expect(knowing(...values).redact(text)).toBe(redacted);
  });

  it("never lets a value through, whatever it is and whatever surrounds it", () => {
    fc.assert(
      fc.property(anyText, anyValue, anyText, (before, value, after) => {
        const known = knowing(value);
        for (const form of [value, ...writtenForms(value)]) {
          expect(known.redact(before + form + after)).not.toContain(form);
        }
      }),
    );
  });

  it("never lets one of many tangled values through, and has then nothing left to do", () => {
    fc.assert(
      fc.property(tangledValues, tangledText, (values, text) => {
        const known = knowing(...values);
        const redacted = known.redact(text);
        for (const value of values) expect(redacted).not.toContain(value);
        expect(known.redact(redacted)).toBe(redacted);
      }),
      { numRuns: 1_000 },
    );
  });

  it("leaves text without known values as it is", () => {
    fc.assert(
      fc.property(fc.array(anyValue), anyText, (values, text) => {
        fc.pre(!values.some((value) => [...writtenForms(value.trim())].some((form) => text.includes(form))));
        expect(knowing(...values).redact(text)).toBe(text);
      }),
    );
  });

  it("leaves what surrounds a value as it is", () => {
    const lowerCase = fc.string({ unit: fc.constantFrom("a", "b", " ") });
    const upperCase = fc.string({ unit: fc.constantFrom("A", "B"), minLength: 6 });
    fc.assert(
      fc.property(lowerCase, upperCase, lowerCase, (before, value, after) => {
        expect(knowing(value).redact(before + value + after)).toBe(`${before}***${after}`);
      }),
    );
  });

  it("takes no longer for values that begin alike, as long as there are many of them", () => {
    const known = new KnownValues();
    const values = Array.from({ length: 16_000 }, (_, index) => `aaaaaa${String(index).padStart(8, "0")}`);
    for (const value of values) known.hold(value);
    expect(known.redact(`${"a".repeat(1_000)}00015999, ${"a".repeat(1_000)}`)).toBe(
      `${"a".repeat(994)}***, ${"a".repeat(1_000)}`,
    );
    for (const value of values.toReversed()) known.release(value);
    expect(known.redact(values[0] ?? "")).toBe(values[0]);
  });

  it.each([
    {
      reason: "values that masks spell again and again",
      values: ["swordfish", "***bbb"],
      text: `swordfish${"b".repeat(200_000)}`,
    },
    {
      reason: "values of many lengths that a text nearly spells everywhere",
      values: Array.from({ length: 1_384 }, (_, index) => `${"a".repeat(6 + index)}X`),
      text: "a".repeat(200_000),
    },
    {
      reason: "values of a few lengths of each size that a text nearly spells everywhere",
      values: [6, 12, 24, 48, 96, 192, 384, 768, 1_536, 3_072].flatMap((size) =>
        Array.from({ length: Math.min(size, 16) }, (_, index) => `${"a".repeat(size + index - 1)}X`),
      ),
      text: "a".repeat(200_000),
    },
    {
      reason: "a long value that a text spells from everywhere",
      values: ["a".repeat(400_000)],
      text: "a".repeat(1_000_000),
    },
  ])("masks more rather than take long over $reason", ({ values, text }) => {
    expect(knowing(...values).redact(text)).toMatch(/^\*{3}a{0,30}$/);
  });

  it("never lets one of more values through than it looks for, and masks no text that is not much like them", () => {
    const opening = "c".repeat(48);
    const values = Array.from({ length: 40 }, (_, index) => `${opening}${"d".repeat(index)}X`);
    const known = knowing(...values);
    for (const value of values) expect(known.redact(`-${value}-`)).not.toContain(value);
    expect(known.redact(`-${opening}-${"e".repeat(100)}`)).toBe(`-***${"e".repeat(54)}`);
    expect(known.redact(`-${opening.slice(1)}-`)).toBe(`-${opening.slice(1)}-`);
  });

  it("forgets a value when its last holder releases it", () => {
    const known = knowing("hunter22", "hunter22");
    known.release("hunter22");
    expect(known.redact("hunter22")).toBe("***");
    known.release("hunter22");
    expect(known.redact("hunter22")).toBe("hunter22");
  });

  it("keeps a form that another value shares", () => {
    const encoded = btoa("hunter22");
    const known = knowing("hunter22", encoded);
    known.release("hunter22");
    expect(known.redact(`hunter22 ${encoded}`)).toBe("hunter22 ***");
  });

  it("is not confused by a release without a hold", () => {
    const known = knowing("hunter22");
    known.release("hunter23");
    expect(known.redact("hunter22")).toBe("***");
  });
});
