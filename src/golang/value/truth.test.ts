import { expect, test } from "vitest";
import { isTrue } from "./truth.ts";
import { newMap } from "./map-view.ts";

test("the keys of a large map are read once, however often a template asks whether it is empty", () => {
  const map = newMap(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]));
  let reads = 0;
  const counted = new Proxy(map, {
    ownKeys: (target) => {
      reads += 1;
      return Reflect.ownKeys(target);
    },
  });
  for (let time = 0; time < 100; time += 1) expect(isTrue(counted)).toBe(true);
  for (let index = 0; index < 999; index += 1) {
    Reflect.deleteProperty(map, `k${index}`);
    expect(isTrue(counted)).toBe(true);
  }
  expect(reads).toBe(1);
  Reflect.deleteProperty(map, "k999");
  expect(isTrue(counted)).toBe(false);
  map["again"] = 1;
  expect(isTrue(counted)).toBe(true);
});
