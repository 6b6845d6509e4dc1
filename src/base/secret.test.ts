import { setImmediate } from "node:timers/promises";
import { format, inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { fc } from "#seeded";
import { redact, Secret } from "./secret.ts";

const value = "correct horse battery staple";
const secret = new Secret(value);
/** For what the linter forbids with a value it knows to be a Secret. */
const untyped = Object.getOwnPropertyDescriptor({ secret }, "secret")?.value;

describe("Secret", () => {
  it("reveals its value when asked to", () => {
    expect(secret.reveal()).toBe(value);
  });

  it.each([
    { way: "String", printed: String(secret) },
    { way: "a template literal", printed: `${untyped}` },
    { way: "concatenation", printed: "" + untyped },
    { way: "join", printed: [secret].join() },
    { way: "toLocaleString", printed: secret.toLocaleString() },
    { way: "inspect", printed: inspect(secret) },
    { way: "format %s", printed: format("%s", secret) },
    { way: "format %o", printed: format("%o", secret) },
    { way: "JSON", printed: JSON.parse(JSON.stringify(secret)) },
  ])("prints *** by $way", ({ printed }) => {
    expect(printed).toBe("***");
  });

  it.each([
    { way: "inspect of an object", copy: inspect({ deep: { secret } }, { showHidden: true }) },
    { way: "inspect without custom inspection", copy: inspect(secret, { customInspect: false, showHidden: true }) },
    { way: "JSON of an object", copy: JSON.stringify({ deep: [secret] }) },
    { way: "spread", copy: JSON.stringify({ ...untyped }) },
    { way: "structuredClone", copy: inspect(structuredClone(secret), { showHidden: true }) },
    { way: "its keys", copy: Reflect.ownKeys(secret).join() },
    { way: "a number", copy: String(Number(secret)) },
  ])("does not reveal itself by $way", ({ copy }) => {
    expect(copy).not.toContain("horse");
  });

  it("equals a secret of the same value only", () => {
    // Unlike words: texts of other tests are masked for as long as such a secret lives.
    const text = fc.string().map((drawn) => `#s3cret#${drawn}`);
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(new Secret(one).equals(new Secret(one))).toBe(true);
        expect(new Secret(one).equals(new Secret(other))).toBe(one === other);
      }),
    );
    expect(new Secret("\ud800").equals(new Secret("\ud801"))).toBe(false);
  });
});

describe("redact", () => {
  it("masks the value of a living secret", () => {
    expect(redact(`the password is ${value}!`)).toBe("the password is ***!");
    expect(redact(btoa(value))).toMatch(/^\*\*\*=*$/);
    expect(secret.equals(secret)).toBe(true);
  });

  it("forgets a value once no secret that holds it is alive", async () => {
    const kept = new Secret("value of two secrets");
    makeAndDrop("value of two secrets");
    makeAndDrop("value of one secret");

    await collectGarbageUntil(() => redact("value of one secret") === "value of one secret");

    expect(redact("value of two secrets")).toBe("***");
    expect(kept.reveal()).toBe("value of two secrets");
  });
});

function makeAndDrop(text: string): void {
  expect(redact(new Secret(text).reveal())).toBe("***");
}

async function collectGarbageUntil(isDone: () => boolean): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  for (let round = 0; round < 100 && !isDone(); round++) {
    collectGarbage();
    await setImmediate();
  }
  expect(isDone()).toBe(true);
}
