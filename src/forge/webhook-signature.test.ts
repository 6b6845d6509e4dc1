import { describe, expect, test } from "vitest";
import { Secret } from "#base";
import { isSignedWebhook } from "./webhook-signature.ts";

const secret = new Secret("It's a Secret to Everybody");
const body = Buffer.from("Hello, World!");
// The example of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
const hex = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

const signed = [
  { kind: "github", headers: { "x-hub-signature-256": `sha256=${hex}` }, reason: "GitHub's documented example" },
  { kind: "gitea", headers: { "x-gitea-signature": hex }, reason: "Gitea" },
  { kind: "gitea", headers: { "x-forgejo-signature": hex, "x-gitea-signature": hex }, reason: "Forgejo sends both" },
  { kind: "gitlab", headers: { "x-gitlab-token": "It's a Secret to Everybody" }, reason: "GitLab sends the secret" },
] as const;

describe.each(signed)("a webhook of $kind ($reason)", ({ kind, headers }) => {
  test("is accepted with its secret, and refused with another one or none", () => {
    expect(isSignedWebhook(kind, { headers, body }, secret)).toBe(true);
    expect(isSignedWebhook(kind, { headers, body }, new Secret("no-such-webhook-secret"))).toBe(false);
    expect(isSignedWebhook(kind, { headers, body }, new Secret(""))).toBe(false);
  });

  test("is refused with a changed body, a cut signature or no signature", () => {
    const changed = Buffer.from("Hello, World?");
    expect(isSignedWebhook(kind, { headers, body: changed }, secret)).toBe(kind === "gitlab");
    const cut = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.slice(0, -1)]));
    expect(isSignedWebhook(kind, { headers: cut, body }, secret)).toBe(false);
    expect(isSignedWebhook(kind, { headers: {}, body }, secret)).toBe(false);
  });
});

test("a webhook of GitHub is not accepted by the header of another forge", () => {
  expect(isSignedWebhook("github", { headers: { "x-gitea-signature": hex }, body }, secret)).toBe(false);
  expect(isSignedWebhook("github", { headers: { "x-hub-signature": `sha1=${hex}` }, body }, secret)).toBe(false);
});
