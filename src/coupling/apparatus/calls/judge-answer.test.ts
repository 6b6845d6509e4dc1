import { describe, expect, test } from "vitest";
import { redact, Secret } from "#base";
import type { Stage } from "../../kinds/index.ts";
import { ApparatusRefusal, judgeAnswer } from "./judge-answer.ts";

const url = "http://x.app.svc/socket/coupled";
const judge = (status: number, body = "", headers = {}, event: Stage | "config" = "coupled") =>
  judgeAnswer({ event, url, sentBytes: 123_456 }, { status, headers, body }, Date.UTC(2026, 0, 1), redact);

describe("an answer", () => {
  test.for([
    { status: 200, body: "", reason: "nothing to say" },
    { status: 204, body: "", reason: "no content" },
    { status: 200, body: "not JSON at all", reason: "of a stage, nothing but a result is looked at" },
    { status: 200, body: "[1]", reason: "a list has no result" },
    { status: 200, body: '{"user":"shop"}', reason: "nothing is said of a result" },
    { status: 200, body: '{"result":null}', reason: "null says nothing, as where a language writes an absent map so" },
    { status: 200, body: '{"result":"ok"}', reason: "a result that is a text belongs to the apparatus alone" },
    { status: 200, body: '{"result":true}', reason: "so is a boolean" },
    { status: 200, body: '{"result":[]}', reason: "so is a list" },
  ])("is good: $reason", ({ status, body }) => {
    expect(judge(status, body)).toEqual({ kind: "done", body: {} });
  });

  test.for([
    { status: 500, isRefusal: false, reason: "a failure" },
    { status: 503, isRefusal: false, reason: "not now" },
    { status: 429, isRefusal: false, reason: "too many" },
    { status: 408, isRefusal: false, reason: "too slow" },
    { status: 400, isRefusal: true, reason: "a bad question" },
    { status: 404, isRefusal: true, reason: "no such stage" },
    { status: 422, isRefusal: true, reason: "a refusal" },
    { status: 302, isRefusal: true, reason: "a redirect, which is not followed" },
  ])("of $status is $reason", ({ status, isRefusal }) => {
    const verdict = judge(status);
    if (verdict.kind !== "failed") throw new Error("it is a failure");
    expect(verdict.error instanceof ApparatusRefusal).toBe(isRefusal);
    expect(verdict.error.message).toContain(`event coupled failed with ${status} status from POST ${url}`);
  });

  test("of /config has its own failure message", () => {
    expect(judge(500, "", {}, "config")).toMatchObject({
      error: { message: `config failed with 500 status from POST ${url}` },
    });
  });

  test.for([
    { header: "3", afterMs: 3_000, reason: "seconds" },
    { header: "Thu, 01 Jan 2026 00:00:10 GMT", afterMs: 10_000, reason: "a date" },
    { header: "0", afterMs: 250, reason: "at once is too soon" },
    { header: "86400", afterMs: 60_000, reason: "tomorrow is too late" },
    { header: undefined, afterMs: 2_000, reason: "nothing said" },
    { header: "soon", afterMs: 2_000, reason: "no number" },
  ])("of 202 means later: $reason", ({ header, afterMs }) => {
    expect(judge(202, "", header === undefined ? {} : { "retry-after": header })).toEqual({ kind: "later", afterMs });
  });

  test("of /config is a JSON object or nothing", () => {
    expect(judge(200, '{"a":1}', {}, "config")).toEqual({ kind: "done", body: { a: 1 } });
    expect(judge(200, " ", {}, "config")).toEqual({ kind: "done", body: {} });
    for (const body of ["[1]", "1", "null", "{", '"secret-of-a-tenant"']) {
      const verdict = judge(200, body, {}, "config");
      expect(verdict).toMatchObject({
        kind: "failed",
        error: { message: expect.stringContaining("not a JSON object") },
      });
      expect(JSON.stringify(verdict)).not.toContain("secret");
    }
  });

  test.for([
    { event: "coupled", body: '{"result":{"a":"b"},"more":[1]}', result: { a: "b" }, reason: "of coupled" },
    {
      event: "updated",
      body: '{"result":{"a":1,"b":true,"c":null}}',
      result: { a: 1, b: true, c: null },
      reason: "scalars",
    },
    { event: "updated", body: '{"result":{}}', result: {}, reason: "an empty one" },
    {
      event: "coupled",
      body: '{"result":{"a":[1],"b":{"c":"d"}}}',
      result: { a: [1], b: { c: "d" } },
      reason: "nested",
    },
    { event: "created", body: '{"result":{"a":"b"}}', result: undefined, reason: "not of created" },
    { event: "decoupled", body: '{"result":5}', result: undefined, reason: "not of decoupled, whatever it is" },
  ] as const)("may have a result: $reason", ({ event, body, result }) => {
    expect(judge(200, body, {}, event)).toEqual({ kind: "done", body: result === undefined ? {} : { result } });
  });

  test.for([
    { body: JSON.stringify({ result: { a: "hunter22".repeat(40_000) } }), says: "bytes", reason: "too much of it" },
    {
      body: JSON.stringify({ result: Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [at, "hunter22"])) }),
      says: "of 1001 keys",
      reason: "too many keys",
    },
  ])("is refused for its result, which is not shown: $reason", ({ body, says }) => {
    const verdict = judge(200, body, {}, "updated");
    if (verdict.kind !== "failed") throw new Error("it is a failure");
    expect(verdict.error).toBeInstanceOf(ApparatusRefusal);
    expect(verdict.error.message).toMatch(`event updated failed: POST ${url} answered with a result `);
    expect(verdict.error.message).toContain(says);
    expect(verdict.error.message).not.toContain("hunter22");
  });

  test("is shown only where it explains a refusal, in one line and without secrets", () => {
    const secret = new Secret("hunter22-and-more");
    const body = JSON.stringify({ error: `no user\n${secret.reveal()} here`, detail: "kept" });
    expect(judge(422, body)).toMatchObject({ error: { message: expect.stringMatching(/url|: no user \*+ here$/) } });
    expect(judge(500, body)).toMatchObject({ error: { message: expect.not.stringContaining("no user") } });
    expect(judge(413)).toMatchObject({
      error: { what: expect.stringContaining("413"), next: expect.stringContaining("123456 bytes") },
    });
    expect(judge(422, JSON.stringify({ error: "x".repeat(9_999) }))).toMatchObject({
      error: { message: expect.stringMatching(/^.{300,500}…$/) },
    });
  });
});
