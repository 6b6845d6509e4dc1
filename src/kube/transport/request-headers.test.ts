import { describe, expect, test } from "vitest";
import { InputError, Secret } from "#base";
import { fc } from "#seeded";
import type { Identity, KubeRequest } from "./request.ts";
import { requestHeaders } from "./request-headers.ts";

function headersOf(request: Partial<KubeRequest>, identity?: Identity): Record<string, string | string[]> {
  return requestHeaders({
    request: { method: "GET", path: "/", ...request },
    credential: { token: new Secret("the-token") },
    identity,
    userAgent: "tenon/1",
    acceptsGzip: true,
  });
}

test("requestHeaders sets content type, accept, user agent and credentials", () => {
  expect(
    headersOf({ body: {}, contentType: "application/merge-patch+json", headers: { Accept: "text/plain" } }),
  ).toEqual({
    accept: "text/plain",
    "accept-encoding": "gzip",
    "user-agent": "tenon/1",
    "content-type": "application/merge-patch+json",
    authorization: "Bearer the-token",
  });
});

test("groups and extras are headers of several lines each", () => {
  const extra = { "example.com/Role": ["a", "b"], plain: ["c"] };
  expect(headersOf({}, { user: "u", groups: ["g", "h"], uid: "1", extra })).toMatchObject({
    "impersonate-user": "u",
    "impersonate-group": ["g", "h"],
    "impersonate-uid": "1",
    "impersonate-extra-example.com%2f%52ole": ["a", "b"],
    "impersonate-extra-plain": ["c"],
  });
});

test("the caller's headers do not replace credentials or identity", () => {
  const headers = { Authorization: "Bearer other", "Impersonate-User": "root" };
  expect(headersOf({ headers }, { user: "u" })).toMatchObject({
    authorization: "Bearer the-token",
    "impersonate-user": "u",
  });
});

const anyCharacter = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));

describe("requestHeaders refuses an injected header", () => {
  const smuggled: { reason: string; request?: Partial<KubeRequest>; identity?: Identity }[] = [
    { reason: "a line in a user", identity: { user: "u\r\nImpersonate-Group: system:masters" } },
    { reason: "a line in a group", identity: { user: "u", groups: ["g\nx: y"] } },
    { reason: "a line in a value", request: { headers: { accept: "a\r\nb: c" } } },
    { reason: "a line in a name", request: { headers: { "a: b\r\nc": "d" } } },
    { reason: "a NUL", identity: { user: "u\0" } },
  ];
  test.each(smuggled)("$reason", ({ request = {}, identity }) => {
    expect(() => headersOf(request, identity)).toThrow(InputError);
  });

  test("any user name fits in one header line, and the server reads it back", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (user) => {
        fc.pre(!/\p{Cc}/u.test(user));
        const header = String(headersOf({}, { user })["impersonate-user"]);
        expect(header).not.toMatch(/[\r\n]/);
        expect(Buffer.from(header, "latin1").toString()).toBe(user.toWellFormed());
      }),
    );
  });

  test("refuses every control character", () => {
    const controls = Array.from({ length: 0xa0 }, (_, point) => String.fromCodePoint(point)).filter((character) =>
      /\p{Cc}/u.test(character),
    );
    expect(controls).toHaveLength(65);
    for (const control of controls) expect(() => headersOf({}, { user: `a${control}b` })).toThrow(InputError);
  });
});
