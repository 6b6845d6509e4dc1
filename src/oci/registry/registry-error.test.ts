import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { parseDockerConfig } from "./docker-config.ts";
import { answerError, readRetryAfter, RegistryError } from "./registry-error.ts";

const auth = Buffer.from("robot:hunter22-of-robot").toString("base64");
const credential = parseDockerConfig(JSON.stringify({ auths: { "quay.io": { auth } } }), "Secret shop/quay").find({
  registry: "quay.io",
  repository: "a/b",
});
const subject = { where: "quay.io/a/b:v1", actions: "pull,push", registry: "quay.io", helper: undefined };
const denied = JSON.stringify({ errors: [{ code: "DENIED", message: "no push for hunter22-of-robot" }] });

describe("an answer that is a failure", () => {
  test("names the Secret and the right that is missing, with what the registry says, and no password", () => {
    const error = answerError({ ...subject, credential }, { status: 403, text: denied });
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toBe(
      'quay.io/a/b:v1: the registry denies access (403 DENIED: no push for ***); the credentials of user robot come from Secret shop/quay, auths["quay.io"]: check that they are still valid, and give them the right to `pull,push` on quay.io/a/b:v1',
    );
  });

  test("without credentials says where to put them, and names a helper that is not run", () => {
    const { message } = answerError(
      { ...subject, credential: undefined, helper: "desktop" },
      { status: 401, text: "" },
    );
    expect(message).toContain("`docker login quay.io` or an image pull Secret");
    expect(message).toContain("credential helper desktop, which Tenon does not run");
  });

  test.for([
    { status: 404, isFinal: true, reason: "what is not there" },
    { status: 429, isFinal: false, reason: "too many requests" },
    { status: 500, isFinal: false, reason: "the registry's fault" },
    { status: 400, isFinal: false, reason: "another version of the registry may accept it" },
  ])("$status: $reason", ({ status, isFinal }) => {
    const error = answerError({ ...subject, credential }, { status, text: "<html>" });
    expect(error instanceof InputError).toBe(isFinal);
    expect(error instanceof RegistryError).toBe(!isFinal);
    expect(error.message).not.toContain("html");
  });
});

test.for([
  { text: "7", ms: 7000, reason: "seconds" },
  { text: "Thu, 01 Jan 1970 00:00:10 GMT", ms: 9000, reason: "a date" },
  { text: "Thu, 01 Jan 1970 00:00:00 GMT", ms: 0, reason: "a date in the past" },
  { text: "soon", ms: undefined, reason: "neither" },
  { text: undefined, ms: undefined, reason: "no header" },
])("Retry-After $text is $ms ms: $reason", ({ text, ms }) => {
  expect(readRetryAfter(text, 1000)).toBe(ms);
});
