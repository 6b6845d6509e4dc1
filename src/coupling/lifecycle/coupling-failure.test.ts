import { expect, test } from "vitest";
import { ConflictError, InputError, redact, Secret } from "#base";
import { ApiError } from "#kube";
import { fc } from "#seeded";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { ApparatusWait } from "../apparatus/calls/apparatus-client.ts";
import { ApparatusRefusal } from "../apparatus/calls/judge-answer.ts";
import { ActionError } from "../resources/perform-actions.ts";
import { failureOf, lastErrorAfter, retryDelayMs, StageError, waitOf } from "./coupling-failure.ts";

const failureIn = (stage: "config" | "decoupled") => failureOf(new StageError(new Error("x"), stage), redact);

test("a failure has a place, a message, and whether the user must act", () => {
  const cause = new ActionError(new InputError("no", { next: "do better" }), "spec.resources[0].template", []);
  expect(failureOf(new StageError(cause, "coupled", "socket"), redact)).toEqual({
    message: "socket spec.resources[0].template: no; do better",
    reason: "Error",
    isForUser: true,
    isRefused: false,
    stage: "coupled",
    side: "socket",
  });
});

test.each([
  { error: new InputError("x"), isForUser: true, reason: "a user must change it" },
  { error: new ConflictError("x", { owner: "y" }), isForUser: true, reason: "it has another owner" },
  { error: new ApiError("x", { status: 403, reason: "Forbidden" }), isForUser: true, reason: "rights are missing" },
  { error: new ApiError("x", { status: 422, reason: "Invalid" }), isForUser: true, reason: "the server refuses it" },
  { error: new ApiError("x", { status: 500, reason: "Internal" }), isForUser: false, reason: "it may pass" },
  { error: new Error("x"), isForUser: false, reason: "the cause is unknown" },
])("whether the user must act: $reason", ({ error, isForUser }) => {
  expect(failureOf(error, redact).isForUser).toBe(isForUser);
});

test("a message is one line, and has each cause once", () => {
  const unknown = new InputError("no kind Foo", { next: "install it" });
  const repeated = new InputError("no kind Foo", { where: "spec.resources[0]", next: "install it", cause: unknown });
  expect(failureOf(repeated, redact).message).toBe("spec.resources[0]: no kind Foo; install it");
  const below = new Error("cannot delete it", { cause: new Error("connection lost", { cause: new Error("reset") }) });
  expect(failureOf(below, redact).message).toBe("cannot delete it, caused by: connection lost, caused by: reset");
});

test("a message about missing rights is one sentence, and names the command that prints the Role", () => {
  const next = "to allow it, apply this:\n\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role";
  const denied = new ApiError("secrets is forbidden", { status: 403, reason: "Forbidden", next });
  expect(failureOf(denied, redact).message).toBe(
    "secrets is forbidden; `tenon explain` prints the Role that allows it",
  );
});

test("a refusal of an apparatus is not retried soon", () => {
  const failure = failureOf(new StageError(new ApparatusRefusal("no"), "coupled", "plug"), redact);
  const { restMs } = lastErrorAfter(failure, undefined, { clock: new FakeClock(), random: () => 0.5 });
  expect(failure).toMatchObject({ isForUser: true, isRefused: true });
  expect(restMs).toBe(270_000);
});

test("waiting for an apparatus is not a failure", () => {
  const wait = new StageError(new ApparatusWait("a pod starts"), "coupled", "socket");
  expect(waitOf(wait)).toEqual({ reason: "a pod starts", stage: "coupled", side: "socket" });
  expect(waitOf(new StageError(new Error("x"), "coupled"))).toBeUndefined();
});

test("a message is at most 1 KiB, and cuts no secret in two", () => {
  const secret = new Secret("hunter22-secret");
  const { message } = failureOf(new Error(`${"x".repeat(1015)}${secret.reveal()}`), redact);
  expect(message.length).toBeLessThanOrEqual(1024);
  expect(message).not.toContain("hunter");
});

test("H73: after many failures, a plug is retried about every five minutes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
      const rest = retryDelayMs(attempts, () => random);
      const plain = Math.min(1_000 * 2 ** (attempts - 1), 300_000);
      expect(rest).toBeGreaterThanOrEqual(0.8 * plain);
      expect(rest).toBeLessThanOrEqual(1.2 * plain);
    }),
  );
});

test("failures of one stage are counted in a row, and a failure of another stage starts a new count", () => {
  const clock = new FakeClock();
  const deps = { clock, random: () => 0.5 };
  const first = lastErrorAfter(failureIn("config"), undefined, deps);
  const second = lastErrorAfter(failureIn("config"), first.lastError, deps);
  const other = lastErrorAfter(failureIn("decoupled"), second.lastError, deps);
  expect([first, second, other].map(({ lastError, restMs }) => [lastError.attempts, restMs])).toEqual([
    [1, 1_000],
    [2, 2_000],
    [1, 1_000],
  ]);
  expect(second.lastError.since).toBe(first.lastError.since);
});
