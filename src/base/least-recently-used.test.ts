import { expect, it } from "vitest";
import { LeastRecentlyUsed } from "./least-recently-used.ts";

it("makes a value once, and forgets the one not used for the longest", () => {
  const made: string[] = [];
  const cache = new LeastRecentlyUsed<string, object>(2);
  const get = (key: string) =>
    cache.get(key, () => {
      made.push(key);
      return { key };
    });
  expect(get("a")).toBe(get("a"));
  get("b");
  get("a");
  get("c");
  get("a");
  get("b");
  expect(made).toEqual(["a", "b", "c", "b"]);
});
