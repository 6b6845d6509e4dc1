import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sized } from "./collections.ts";
import { constructCases } from "./construct-cases.fixture.ts";
import { toStructuralSchema } from "./to-structural-schema.ts";
import { validations } from "./validations.ts";

describe.each(constructCases)("$construct: $reason", ({ schema, accepts, refuses }) => {
  const field = z.object({ field: schema });

  test("has a structural schema, which is plain JSON", () => {
    const structural = toStructuralSchema(field, "spec");
    expect(JSON.parse(JSON.stringify(structural))).toStrictEqual(structural);
  });

  test("zod accepts and refuses what the server does", () => {
    for (const value of accepts) {
      const input = value === undefined ? {} : { field: value };
      expect({ value, ...field.safeParse(input) }).toMatchObject({ value, success: true });
    }
    for (const value of refuses) {
      expect({ value, ...field.safeParse({ field: value }) }).toMatchObject({ value, success: false });
    }
  });
});

describe("descriptions", () => {
  test.each([
    { schema: z.string().describe("inner").optional(), description: "inner", reason: "wrappers keep it" },
    {
      schema: z.string().describe("inner").optional().describe("outer"),
      description: "outer",
      reason: "outermost wins",
    },
    { schema: z.string().describe("text").min(1), description: "text", reason: "checks keep it" },
    {
      schema: z.string().meta({ deprecated: true, description: "Old." }),
      description: "Deprecated. Old.",
      reason: "in words",
    },
    { schema: z.string().meta({ deprecated: true }), description: "Deprecated.", reason: "alone" },
    { schema: z.string(), description: undefined, reason: "none given" },
  ])("$description: $reason", ({ schema, description }) => {
    expect(toStructuralSchema(schema, "spec").description).toBe(description);
  });
});

test("rules and marks survive what is done to a schema afterwards", () => {
  const ruled = validations(z.object({ a: z.string() }), [{ rule: "true", message: "always" }]);
  const marked = sized(ruled, { max: 3 }).extend({ b: z.string() }).describe("text").optional();
  expect(toStructuralSchema(marked, "spec")).toMatchObject({
    description: "text",
    maxProperties: 3,
    required: ["a", "b"],
    "x-kubernetes-validations": [{ rule: "true", message: "always" }],
  });
});
