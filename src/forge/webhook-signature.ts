import { createHmac } from "node:crypto";
import { Secret } from "#base";
import type { Forge } from "./forge.ts";

/** A webhook's request, as it arrived. */
export interface WebhookDelivery {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The very bytes: a signature does not survive parsing. */
  readonly body: Uint8Array;
}

/** The headers that carry the HMAC-SHA256 of the body. Forgejo also sends Gitea's. */
const signatureHeaders = {
  github: ["x-hub-signature-256"],
  gitea: ["x-forgejo-signature", "x-gitea-signature"],
} as const;

/**
 * Whether a delivery comes from someone who knows the secret. GitHub, Gitea and Forgejo sign the body with it; GitLab sends the
 * secret itself, so that its webhooks need https. An empty secret verifies nothing.
 */
export function isSignedWebhook(kind: Forge["kind"], { headers, body }: WebhookDelivery, secret: Secret): boolean {
  const key = secret.reveal();
  if (key === "") return false;
  if (kind === "gitlab") return isSame(headers["x-gitlab-token"], key);
  const expected = createHmac("sha256", key).update(body).digest("hex");
  const given = signatureHeaders[kind].map((name) => headers[name]).find((value) => value !== undefined);
  return isSame(kind === "github" ? given?.replace(/^sha256=/, "") : given, expected);
}

/** In a time that does not depend on where they differ. */
function isSame(given: string | undefined, expected: string): boolean {
  return given !== undefined && new Secret(given).equals(new Secret(expected));
}
