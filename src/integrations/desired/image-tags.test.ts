import { expect, test } from "vitest";
import { parseImageTagFromRef } from "./image-tags.ts";

test.each(["env", "=x", "a=", "a=b=c", ""])(
  "G3-10: an image tag option that is not environment=ref is refused: %j",
  (word) => {
    expect(() => parseImageTagFromRef(["ok=main", word])).toThrow("ENVIRONMENT=REF");
  },
);

test("B-37: each environment has its ref, and the last option wins", () => {
  expect(parseImageTagFromRef(["a=main", "b=v1/x", "a=next"])).toEqual(
    new Map([
      ["a", "next"],
      ["b", "v1/x"],
    ]),
  );
});
