import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { describeError } from "./describe-error.ts";
import { InputError } from "./errors.ts";
import { HeldSecrets } from "./held-secrets.ts";
import { QuotingError } from "./quoting-error.ts";
import { Secret } from "./secret.ts";

function cyclic(): Error {
  const outer = new Error("outer", { cause: new Error("inner") });
  if (outer.cause instanceof Error) outer.cause.cause = outer;
  return outer;
}

describe("describeError", () => {
  it.each([
    {
      reason: "an error by its message",
      error: new InputError("no such team", { where: "a.yml" }),
      lines: ["a.yml: no such team"],
    },
    {
      reason: "each cause on a line of its own",
      error: new Error("cannot apply", { cause: new Error("cannot connect", { cause: "refused" }) }),
      lines: ["cannot apply", "  caused by: cannot connect", "    caused by: refused"],
    },
    {
      reason: "a cause that ends its message once, and what is below it",
      error: new Error("no answer: refused", { cause: new Error("refused", { cause: "port 1 is closed" }) }),
      lines: ["no answer: refused", "  caused by: port 1 is closed"],
    },
    {
      reason: "each part of an aggregate",
      error: new AggregateError([new Error("a", { cause: new Error("b") }), "c"], "two failed", {
        cause: new Error("d"),
      }),
      lines: ["two failed", "  - a", "    caused by: b", "  - c", "  caused by: d"],
    },
    { reason: "a message of several lines on one", error: new Error("first\n  second\n"), lines: ["first second"] },
    { reason: "an error without message by its name", error: new TypeError(), lines: ["TypeError"] },
    {
      reason: "an error whose message is not a string",
      error: Object.assign(new Error(), { message: 42 }),
      lines: ["42"],
    },
    {
      reason: "a cycle of causes once",
      error: cyclic(),
      lines: ["outer", "  caused by: inner", "    caused by: outer"],
    },
    { reason: "a thrown string", error: "just text", lines: ["just text"] },
    { reason: "a thrown object", error: { code: 7, why: { deep: [1] } }, lines: ["{ code: 7, why: { deep: [ 1 ] } }"] },
    { reason: "a thrown object without prototype", error: Object.create(null), lines: ["[Object: null prototype] {}"] },
    { reason: "a thrown nothing", error: undefined, lines: ["undefined"] },
    { reason: "a thrown symbol", error: Symbol("odd"), lines: ["Symbol(odd)"] },
  ])("gives $reason", ({ error, lines }) => {
    expect(describeError(error)).toBe(lines.join("\n"));
  });

  it.each([
    { reason: "of several lines", secret: new Secret("-----BEGIN KEY-----\nabc\n-----END KEY-----\n") },
    { reason: "longer than a line of inspect", secret: new Secret("long and\n longer ".repeat(1_000)) },
  ])("masks a secret $reason", ({ secret }) => {
    expect(describeError(new Error(`bad key ${secret.reveal()}`))).toBe("bad key ***");
    expect(describeError({ key: secret.reveal() })).toMatch(/^\{ key: '\*\*\*(\\n| )?' \}$/);
  });

  it("masks a secret that folding a message spells out", () => {
    const secret = new Secret("two words");
    expect(describeError(new Error("two\n  words"))).toBe(String(secret));
  });

  it("folds a message of a million tabs in time that grows with its length only", () => {
    const tabs = "\t".repeat(1_000_000);
    expect(describeError(new Error(`a${tabs}b\n${tabs}\n c`))).toBe(`a${tabs}b c`);
  });

  it("masks secrets wherever they hide", () => {
    const secret = new Secret("hunter22");
    const thrown = { url: `https://user:${secret.reveal()}@example.com`, secret };
    expect(describeError(new Error("login as hunter22 failed", { cause: thrown }))).toBe(
      "login as *** failed\n  caused by: { url: 'https://user:***@example.com', secret: *** }",
    );
  });

  it("masks for one reader what is secret to that reader, also in an error that quotes others", () => {
    class ServerError extends QuotingError {}
    const others = new Secret("hunter22");
    const held = new HeldSecrets();
    held.hold([new Secret("hunter33")]);
    const error = new Error("cannot apply", { cause: new ServerError("hunter22 and hunter33 are not names") });
    expect(describeError(error)).toBe("cannot apply\n  caused by: *** and *** are not names");
    expect(describeError(error, (text) => held.redact(text))).toBe(
      "cannot apply\n  caused by: hunter22 and *** are not names",
    );
    expect(inspect(error)).not.toContain(others.reveal());
  });
});
