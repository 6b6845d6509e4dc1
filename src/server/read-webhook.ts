import { createHmac, timingSafeEqual } from "node:crypto";
import { isRecord, type Secret, valueAt } from "#base";
import type { ChangeHint } from "#promotion";

/** Who sends a webhook, by the end of the path that it is sent to. */
export const webhookSenders = ["github", "gitlab", "gitea", "registry"] as const;
export type WebhookSender = (typeof webhookSenders)[number];

export interface WebhookRequest {
  readonly sender: WebhookSender;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Whether a request proves that its sender knows the secret: by a signature of the body where the sender can, else by the secret itself. */
export function isGenuine({ sender, headers, body }: WebhookRequest, secret: Secret): boolean {
  const signature = createHmac("sha256", secret.reveal()).update(body).digest("hex");
  const proofs: Readonly<Record<WebhookSender, readonly [given: string | undefined, expected: string]>> = {
    github: [headers["x-hub-signature-256"], `sha256=${signature}`],
    gitea: [headers["x-gitea-signature"] ?? headers["x-forgejo-signature"], signature],
    gitlab: [headers["x-gitlab-token"], secret.reveal()],
    registry: [headers["authorization"]?.replace(/^Bearer /i, ""), secret.reveal()],
  };
  return isEqual(...proofs[sender]);
}

/** Both sides are hashed, so that lengths may differ and nothing can be measured. */
function isEqual(given: string | undefined, expected: string): boolean {
  if (given === undefined || given === "") return false;
  return timingSafeEqual(hash(given), hash(expected));
}

function hash(text: string): Buffer {
  return createHmac("sha256", "compare").update(text).digest();
}

/** What a webhook says has changed; undefined if it names nothing. Tenon only looks there, whatever else the body says. */
export function readWebhook(sender: WebhookSender, body: unknown): ChangeHint | undefined {
  const names = (sender === "registry" ? imageNames(body) : gitNames(body)).filter((name) => name.length <= 2_048);
  return names.length === 0 ? undefined : { kind: sender === "registry" ? "image" : "git", names };
}

/** Pushes and pull requests: GitHub and Gitea have `repository`, GitLab `project`. */
function gitNames(body: unknown): string[] {
  return texts([
    valueAt(body, ["repository", "clone_url"]),
    valueAt(body, ["repository", "full_name"]),
    valueAt(body, ["project", "git_http_url"]),
    valueAt(body, ["project", "path_with_namespace"]),
  ]);
}

/** Distribution's notifications, Harbor, Quay and Docker Hub. */
function imageNames(body: unknown): string[] {
  const events = valueAt(body, ["events"]);
  const pushed = Array.isArray(events) ? events.filter((event) => isRecord(event)) : [];
  return texts([
    ...pushed.slice(0, 1_000).map((event) => valueAt(event, ["target", "repository"])),
    valueAt(body, ["event_data", "repository", "repo_full_name"]),
    valueAt(body, ["docker_url"]),
    valueAt(body, ["repository", "repo_name"]),
  ]);
}

function texts(values: readonly unknown[]): string[] {
  return [...new Set(values.flatMap((value) => (typeof value === "string" && value !== "" ? [value] : [])))];
}
