import { describe, expect, it } from "vitest";
import { redact, Secret } from "#base";
import { eventName, eventObject, sanitizeEvent } from "./event-series.ts";

const about = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name: "a", uid: "u", resourceVersion: "7" },
};

describe("sanitizeEvent", () => {
  it.each([
    { reason: "short", message: "fine", bytes: 4, ends: "fine" },
    { reason: "exactly at the limit", message: "x".repeat(1024), bytes: 1024, ends: "x" },
    { reason: "one too many", message: "x".repeat(1025), bytes: 1024, ends: "x…" },
    { reason: "characters of two bytes", message: "ö".repeat(600), bytes: 1023, ends: "ö…" },
    { reason: "characters of four bytes, each two units long", message: "😀".repeat(300), bytes: 1023, ends: "😀…" },
  ])("cuts a message that is $reason", ({ message, bytes, ends }) => {
    const cut = sanitizeEvent({ type: "Normal", reason: "R", message }, redact).message;
    expect(Buffer.byteLength(cut)).toBe(bytes);
    expect(cut.endsWith(ends)).toBe(true);
    expect(cut.isWellFormed()).toBe(true);
  });

  it("masks secrets before it cuts, so that no half of one is left", () => {
    const secret = new Secret("hunter22hunter22");
    const event = {
      type: "Normal",
      reason: `Said${secret.reveal()}`,
      message: `${"x".repeat(1015)}${secret.reveal()}`,
    } as const;
    const { message, reason } = sanitizeEvent(event, redact);
    expect(message).toBe(`${"x".repeat(1015)}***`);
    expect(reason).toBe("Said***");
  });
});

describe("eventName", () => {
  it.each([
    { reason: "a usual name", name: "shop-1.a", expected: "shop-1.a.17f" },
    { reason: "a name that events cannot have", name: "system:node", expected: "event.17f" },
    { reason: "a name that leaves no room", name: "a".repeat(253), expected: "event.17f" },
  ])("$reason", ({ name, expected }) => {
    expect(eventName({ ...about, metadata: { name } }, "17f")).toBe(expected);
  });
});

it("an Event has a series only if it happened more than once", () => {
  const event = { type: "Warning", reason: "Failed", action: "Apply", message: "no" } as const;
  const reporter = { controller: "tenon.dev/manage", instance: "pod-1" };
  const once = { about, event, firstAt: Date.UTC(2026, 0, 1), lastAt: Date.UTC(2026, 0, 2), count: 1 };
  expect(eventObject("a.1", once, reporter)).toEqual({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "a.1", namespace: "shop" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "tenon.dev/manage",
    reportingInstance: "pod-1",
    type: "Warning",
    reason: "Failed",
    action: "Apply",
    note: "no",
    regarding: { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a", uid: "u", resourceVersion: "7" },
  });
  expect(eventObject("a.1", { ...once, count: 2 }, reporter)).toMatchObject({
    series: { count: 2, lastObservedTime: "2026-01-02T00:00:00.000000Z" },
  });
});
