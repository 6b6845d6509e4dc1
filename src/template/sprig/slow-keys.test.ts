import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { KeyPending, KeyStock, type SlowKey } from "./slow-keys.ts";

type Done = (key: KeyObject | undefined) => void;

/** Keys are made when the test says so. */
function heldStock(): { stock: KeyStock; asked: [SlowKey, Done][] } {
  const asked: [SlowKey, Done][] = [];
  return { stock: new KeyStock((kind, done) => void asked.push([kind, done])), asked };
}

function smallKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
}

test("the first ask for a key fails and has one made, and a later ask gets it", () => {
  const { stock, asked } = heldStock();
  expect(() => stock.take("rsa2048")).toThrow(KeyPending);
  expect(() => stock.take("rsa2048")).toThrow("a new RSA key is still being made; try again");
  expect(asked.map(([kind]) => kind)).toEqual(["rsa2048"]);
  const key = smallKey();
  asked.shift()?.[1](key);
  expect(stock.take("rsa2048")).toBe(key);
});

test.each([
  { kind: "rsa2048", count: 10 },
  { kind: "rsa4096", count: 3 },
  { kind: "dsa", count: 3 },
] as const)("$count keys $kind are kept, made one after the other, and each is given once", ({ kind, count }) => {
  const { stock, asked } = heldStock();
  expect(() => stock.take(kind)).toThrow(KeyPending);
  const made: KeyObject[] = [];
  for (let next = asked.shift(); next; next = asked.shift()) {
    expect(asked).toEqual([]);
    made.push(smallKey());
    next[1](made.at(-1));
  }
  expect(made.length).toBe(count);
  expect(made.map(() => stock.take(kind))).toEqual(made);
  expect(() => stock.take(kind)).toThrow(KeyPending);
});

test("a key that cannot be made is asked for again", () => {
  const { stock, asked } = heldStock();
  expect(() => stock.take("dsa")).toThrow(KeyPending);
  asked.shift()?.[1](undefined);
  expect(asked).toEqual([]);
  expect(() => stock.take("dsa")).toThrow(KeyPending);
  expect(asked.length).toBe(1);
});
