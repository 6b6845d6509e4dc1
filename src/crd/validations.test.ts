import { describe, expect, test } from "vitest";
import { z } from "zod";
import { InputError } from "#base";
import { listMap, listSet, sized } from "./collections.ts";
import { validations } from "./validations.ts";

describe("validations", () => {
  const even = { rule: "self % 2 == 0", message: "is even", check: (value: number) => value % 2 === 0 };

  test("the twin of a rule binds what is there, and nothing else", () => {
    const schema = z.object({ a: validations(z.int().nullish(), [even]), b: validations(z.int(), [even]).optional() });
    expect(schema.safeParse({}).success).toBe(true);
    expect(schema.safeParse({ a: null, b: 2 }).success).toBe(true);
    expect(schema.safeParse({ a: 1 }).success).toBe(false);
    expect(schema.safeParse({ b: 1 }).success).toBe(false);
  });

  test("the twin reports at the field of the rule", () => {
    const rule = { rule: "self.a.b == 1", message: "is one", fieldPath: ".a.b", check: () => false };
    const result = validations(z.object({ a: z.object({ b: z.int() }) }), [rule]).safeParse({ a: { b: 2 } });
    expect(result.error?.issues).toMatchObject([{ path: ["a", "b"], message: "is one" }]);
  });

  test("a rule that reads oldSelf cannot have a check for zod", () => {
    const rule = { rule: "self == oldSelf", message: "is fixed", check: () => true };
    expect(() => validations(z.string(), [rule])).toThrow(InputError);
    expect(() => validations(z.string(), [rule])).toThrow(/cannot see the old value; leave out check/);
  });
});

describe("collections name what is wrong and where", () => {
  test.each([
    { schema: listSet(z.array(z.int())), value: [1, 2, 1], path: [2], message: "the list contains 1 twice" },
    {
      schema: listMap(z.array(z.object({ a: z.int(), b: z.int() })), ["a", "b"]),
      value: [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
        { a: 1, b: 1 },
      ],
      path: [2],
      message: "the list has two items with the same a and b",
    },
    {
      schema: sized(z.record(z.string(), z.int()), { min: 1 }),
      value: {},
      path: [],
      message: "expected at least 1 entries, got 0",
    },
    {
      schema: sized(z.record(z.string(), z.int()), { max: 0 }),
      value: { a: 1 },
      path: [],
      message: "expected at most 0 entries, got 1",
    },
  ])("$message", ({ schema, value, path, message }) => {
    const issues: readonly z.core.$ZodIssue[] = schema.safeParse(value).error?.issues ?? [];
    expect(issues).toMatchObject([{ path, message }]);
  });
});
