import { expect, test } from "vitest";
import { selectorText } from "./label-selector.ts";

test("a selector is worded as a query of the API server has it", () => {
  expect(
    selectorText({
      matchLabels: { app: "web", tier: "a" },
      matchExpressions: [
        { key: "zone", operator: "NotIn", values: ["x", "y"] },
        { key: "size", operator: "In", values: ["1"] },
        { key: "new", operator: "Exists" },
        { key: "old", operator: "DoesNotExist" },
      ],
    }),
  ).toBe("app=web,tier=a,zone notin (x,y),size in (1),new,!old");
  expect(selectorText({})).toBe("");
});
