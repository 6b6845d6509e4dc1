import { describe, expect, it } from "vitest";
import { HeldSecrets, Secret } from "#base";
import { type Condition, type ConditionChange, removeCondition, setCondition } from "./conditions.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const early = "2025-12-31T00:00:00Z";
const change: ConditionChange = { type: "Ready", status: "True", reason: "Succeeded", message: "fine" };
const ready: Condition = { ...change, lastTransitionTime: early, observedGeneration: 1 };

describe("setCondition", () => {
  it.each([
    {
      reason: "a new one goes to the end, with the time to the second",
      before: [{ type: "Other" }],
      after: [{ type: "Other" }, { ...change, lastTransitionTime: "2026-01-02T03:04:05Z", observedGeneration: 2 }],
    },
    {
      reason: "the time stays while the status does, though the message changes",
      before: [{ ...ready, message: "old", reason: "Old" }, { type: "Other" }],
      after: [{ ...ready, observedGeneration: 2 }, { type: "Other" }],
    },
    {
      reason: "the time changes with the status",
      before: [{ ...ready, status: "Unknown" as const }],
      after: [{ ...ready, lastTransitionTime: "2026-01-02T03:04:05Z", observedGeneration: 2 }],
    },
    {
      reason: "one without a time gets one",
      before: [change],
      after: [{ ...change, lastTransitionTime: "2026-01-02T03:04:05Z", observedGeneration: 2 }],
    },
  ])("$reason", ({ before, after }) => {
    expect(setCondition(before, change, { now, generation: 2 })).toEqual(after);
  });

  it("says nothing of a generation where there is none", () => {
    expect(setCondition([], change, { now, generation: undefined })[0]).not.toHaveProperty("observedGeneration");
  });

  it("masks secrets, before it cuts", () => {
    const secret = new Secret("correct-horse-battery");
    const message = `${"x".repeat(32 * 1024 - 10)}${secret.reveal()}`;
    const [condition] = setCondition([], { ...change, message }, { now, generation: 1 });
    expect(condition?.message).toBe(`${"x".repeat(32 * 1024 - 10)}***`);
  });

  it("masks for the readers of the object what is secret to them, and nothing else", () => {
    const others = new Secret("c0upling succeeded");
    const held = new HeldSecrets();
    held.hold([new Secret("hunter22")]);
    const circumstances = { now, generation: 1, redact: (text: string) => held.redact(text) };
    const [condition] = setCondition([], { ...change, message: `${others.reveal()} with hunter22` }, circumstances);
    expect(condition?.message).toBe("c0upling succeeded with ***");
  });

  it.each([
    { reason: "just fits", message: "x".repeat(32_768), length: 32_768 },
    { reason: "too long by one", message: "x".repeat(32_769), length: 32_768 },
    { reason: "too long, of two bytes each", message: "é".repeat(20_000), length: 32_767 },
    { reason: "too long, of four bytes each", message: "🔌".repeat(9_000), length: 32_767 },
  ])("cuts a message at the API server's limit in bytes: $reason", ({ message, length }) => {
    const [condition] = setCondition([], { ...change, message }, { now, generation: 1 });
    expect(Buffer.byteLength(condition?.message ?? "")).toBe(length);
    expect(condition?.message).toMatch(/^(x+|é+\.\.\.|(🔌)+\.\.\.|x+\.\.\.)$/u);
  });

  it.each(["", "not found", "Not-Found", "1st", "Ends:"])("refuses %j, which the API server would refuse", (reason) => {
    expect(() => setCondition([], { ...change, reason }, { now, generation: 1 })).toThrow("expected CamelCase");
  });
});

describe("removeCondition", () => {
  it("leaves the others", () => {
    expect(removeCondition([ready, { type: "Other" }], "Ready")).toEqual([{ type: "Other" }]);
    expect(removeCondition([{ type: "Other" }], "Ready")).toEqual([{ type: "Other" }]);
  });
});
