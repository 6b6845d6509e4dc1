import { expect, test } from "vitest";
import { z } from "zod";
import { InputError } from "#base";
import { refusalCases } from "./refusal-cases.fixture.ts";
import { toStructuralSchema } from "./to-structural-schema.ts";

test.each(refusalCases)("$construct is refused by name and with what to write instead: $reason", ({ schema, says }) => {
  const convert = () => toStructuralSchema(z.object({ field: schema }), "spec");
  expect(convert).toThrow(InputError);
  expect(convert).toThrow(says);
  expect(convert).toThrow(/^spec\.field.*; /s);
});
