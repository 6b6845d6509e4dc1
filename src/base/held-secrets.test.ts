import { describe, expect, it } from "vitest";
import { HeldSecrets } from "./held-secrets.ts";
import { redact, Secret } from "./secret.ts";

describe("HeldSecrets", () => {
  it("masks the secrets it holds and no others", () => {
    const others = [new Secret("hunter22"), new Secret("c0upling succeeded")];
    const held = new HeldSecrets();
    held.hold([new Secret("hunter33")]);
    const text = "c0upling succeeded with hunter22 and hunter33";
    expect(held.redact(text)).toBe("c0upling succeeded with hunter22 and ***");
    expect(redact(text), `while ${others.length} others live`).toBe("*** with *** and ***");
  });

  it("masks those of two looks as one stretch where they overlap", () => {
    const held = new HeldSecrets();
    held.hold([new Secret("abcdefgh")]);
    held.endAttempt();
    held.hold([new Secret("efghijkl")]);
    expect(held.redact("-abcdefghijkl-")).toBe("-***-");
  });

  it("masks what it gets to hold after it was asked", () => {
    const held = new HeldSecrets();
    const secret = new Secret("hunter44");
    expect(held.redact("hunter44")).toBe("hunter44");
    held.hold([secret]);
    expect(held.redact("hunter44")).toBe("***");
  });

  it("forgets values that were secret in neither of the last two reads", () => {
    const held = new HeldSecrets();
    const secret = new Secret("hunter55");
    held.hold([secret]);
    held.endAttempt();
    expect(held.redact("hunter55")).toBe("***");
    held.endAttempt();
    expect(held.redact("hunter55"), `although ${String(secret)} lives`).toBe("hunter55");
  });
});
