import { describe, expect, test } from "vitest";
import { Secret } from "#base";
import { FakeClock } from "../../../base/fake-clock.fixture.ts";
import { apparatusMetrics } from "../../coupling-metrics.ts";
import { type ApparatusAnswer, type ApparatusRequest, NoAnswerError } from "../transport/apparatus-request.ts";
import { deliver } from "./deliver.ts";

type Reply = Partial<ApparatusAnswer> | Error;

/** Delivers to who answers so, one after the other, while time passes. */
function setUp(replies: readonly Reply[], workMs = 3_600_000) {
  const clock = new FakeClock();
  const requests: ApparatusRequest[] = [];
  const tokens = ["first", "second"];
  const token = { current: async () => new Secret(`token-${tokens[0]}`), renew: () => void tokens.shift() };
  let attempts = 0;
  const delivery = {
    event: "coupled" as const,
    url: "http://x.app.svc/coupled",
    path: "/coupled",
    body: { version: "1" },
    id: "the-id",
    redact: (text: string) => text.replaceAll("hunter22", "***"),
    limits: { answerMs: 60_000, workMs },
    nextAttempt: () => ++attempts,
    send: async (request: ApparatusRequest): Promise<ApparatusAnswer> => {
      requests.push(request);
      const reply = replies[requests.length - 1] ?? {};
      if (reply instanceof Error) throw reply;
      return { status: 200, headers: {}, body: "", ...reply };
    },
  };
  const run = async () => {
    const deps = { clock, random: () => 0.5, token, metrics: apparatusMetrics() };
    const done = deliver(delivery, deps, new AbortController().signal).then(
      () => "delivered",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    for (let round = 0; round < 100; round++) await clock.advance(1_000);
    return await done;
  };
  return { run, requests };
}

const broken = new NoAnswerError("the connection was closed", false);

describe("a call", () => {
  test("has the same id and body each time, the number of the request, and a token", async () => {
    const { run, requests } = setUp([broken, broken, broken]);
    expect(await run()).toBe("delivered");
    expect(requests).toHaveLength(4);
    expect(requests.map(({ headers }) => headers["x-integration-attempt"])).toEqual(["1", "2", "3", "4"]);
    expect(new Set(requests.map(({ headers }) => headers["x-integration-id"]))).toEqual(new Set(["the-id"]));
    expect(requests[0]).toMatchObject({
      method: "POST",
      body: '{"version":"1"}',
      headers: { "content-type": "application/json", authorization: "Bearer token-first" },
    });
  });

  test("whose connection breaks four times has failed", async () => {
    const { run, requests } = setUp([broken, broken, broken, broken]);
    expect(await run()).toBe("event coupled failed: the connection was closed, from POST http://x.app.svc/coupled");
    expect(requests).toHaveLength(4);
  });

  test("that times out is not repeated", async () => {
    const { run, requests } = setUp([new NoAnswerError("no answer within 60 s", true)]);
    expect(await run()).toContain("event coupled failed: no answer within 60 s");
    expect(requests).toHaveLength(1);
  });

  test("whose token is refused is repeated once with a new token", async () => {
    const { run, requests } = setUp([{ status: 401 }, { status: 401 }]);
    expect(await run()).toContain("failed with 401 status");
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer token-first",
      "Bearer token-second",
    ]);
  });

  test("whose refusal quotes the token or a secret of the waiter has both masked, and nothing else", async () => {
    const others = new Secret("hunter33");
    const body = JSON.stringify({ error: "no token-first for hunter22 and hunter33" });
    expect(await setUp([{ status: 422, body }]).run()).toMatch(/: no \*\*\* for \*\*\* and hunter33$/);
    expect(others.reveal()).toBe("hunter33");
  });

  test("that is accepted is repeated until it is done, and not for ever", async () => {
    const later = { status: 202, headers: { "retry-after": "10" } };
    expect(await setUp([later, later, later]).run()).toBe("delivered");
    const { run, requests } = setUp([later, later, later, later], 25_000);
    expect(await run()).toBe("event coupled was accepted, but not finished within 25 s: POST http://x.app.svc/coupled");
    expect(requests).toHaveLength(3);
  });
});
