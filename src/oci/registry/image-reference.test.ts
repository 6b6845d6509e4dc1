import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { formatImageReference, parseImageReference, parseTag } from "./image-reference.ts";

const hex = "0123456789abcdef".repeat(4);
const digest = `sha256:${hex}`;

describe("image references", () => {
  test.for([
    { text: "alpine", full: "docker.io/library/alpine", reason: "Docker Hub's own images" },
    { text: "alpine:3", full: "docker.io/library/alpine:3", reason: "a tag after the name" },
    { text: "acme/web", full: "docker.io/acme/web", reason: "a user of Docker Hub" },
    { text: "docker.io/alpine", full: "docker.io/library/alpine", reason: "Docker Hub by name" },
    { text: "index.docker.io/acme/web:1", full: "docker.io/acme/web:1", reason: "Docker Hub's older name" },
    { text: "localhost/web", full: "localhost/web", reason: "localhost is a host" },
    { text: "localhost:5000/web", full: "localhost:5000/web", reason: "the colon belongs to the port" },
    { text: "reg.local:5000/acme/web:released", full: "reg.local:5000/acme/web:released", reason: "port and tag" },
    { text: "web:5000/app", full: "web:5000/app", reason: "a port makes a host" },
    { text: "[::1]:5000/web:1", full: "[::1]:5000/web:1", reason: "an IPv6 address" },
    { text: "Quay.io/acme/web", full: "quay.io/acme/web", reason: "hosts are not case-sensitive" },
    { text: `quay.io/a/web@${digest}`, full: `quay.io/a/web@${digest}`, reason: "a digest" },
    { text: `quay.io/a/web:v1@${digest}`, full: `quay.io/a/web:v1@${digest}`, reason: "tag and digest" },
    { text: `quay.io/a/web@sha512:${hex}${hex}`, full: `quay.io/a/web@sha512:${hex}${hex}`, reason: "SHA-512" },
    { text: "quay.io/a/b__c/d--e.f_g", full: "quay.io/a/b__c/d--e.f_g", reason: "separators" },
  ])("$text is $full: $reason", ({ text, full }) => {
    expect(formatImageReference(parseImageReference(text))).toBe(full);
  });

  test.for([
    { text: "https://quay.io/acme/web", message: /has no scheme, got https:\/\/; write it without/ },
    { text: "docker://quay.io/acme/web", message: /has no scheme, got docker:\/\// },
    { text: "", message: /"" is not a valid repository name/ },
    { text: "quay.io/Acme/web", message: /"Acme\/web" is not a valid repository name; use lower case/ },
    { text: "quay.io//web", message: /is not a valid repository name/ },
    { text: "quay.io/web/", message: /is not a valid repository name/ },
    { text: "quay.io/web:", message: /"" is not a valid tag/ },
    { text: "quay.io/web:.hidden", message: /"\.hidden" is not a valid tag/ },
    { text: `quay.io/web:${"t".repeat(129)}`, message: /is not a valid tag; use at most 128/ },
    { text: "quay.io/web@sha256:abc", message: /"sha256:abc" is not a valid digest/ },
    { text: `quay.io/web@SHA256:${hex}`, message: /is not a valid digest/ },
    { text: `quay.io/web@md5:${hex}`, message: /is not a valid digest/ },
    { text: `quay.io/web@constructor:${hex}`, message: /is not a valid digest/ },
    { text: `quay.io/web@${digest}@${digest}`, message: /is not a valid digest/ },
    { text: "quay.io:http/web", message: /"quay.io:http" is not a valid registry host/ },
    { text: `quay.io/${"a/".repeat(128)}b`, message: /is not a valid repository name/ },
  ])("$text is refused", ({ text, message }) => {
    expect(() => parseImageReference(text)).toThrow(InputError);
    expect(() => parseImageReference(text)).toThrow(message);
  });

  test("P45: a tag with a slash is refused", () => {
    expect(() => parseTag("a/b")).toThrow('"a/b" is not a valid tag');
    expect(parseTag("released-1.2_3")).toBe("released-1.2_3");
  });

  test("what was formatted is read back the same", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}([._-][a-z0-9]{1,4})?$/);
    const reference = fc.record(
      {
        registry: fc.constantFrom("docker.io", "quay.io", "localhost:5000", "[::1]:80", "a.b:1"),
        repository: fc.array(word, { minLength: 2, maxLength: 4 }).map((parts) => parts.join("/")),
        tag: fc.stringMatching(/^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,20}$/),
        digest: fc.constant(digest),
      },
      { requiredKeys: ["registry", "repository"] },
    );
    fc.assert(
      fc.property(reference, (given) => {
        expect(parseImageReference(formatImageReference(given))).toEqual(given);
      }),
    );
  });
});
