import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Secret, silentLogger } from "#base";
import type { ChangeHint } from "#promotion";
import type { OpenPort } from "./open-port.ts";
import { serveWebhooks } from "./serve-webhooks.ts";

const secret = "s3cret-of-the-webhook";
const hints: ChangeHint[] = [];
let server: OpenPort;
beforeAll(async () => {
  server = await serveWebhooks({
    port: 0,
    host: "127.0.0.1",
    secret: new Secret(secret),
    wake: (hint) => hints.push(hint),
    log: silentLogger,
  });
});
afterAll(() => server[Symbol.asyncDispose]());

async function send(sender: string, body: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/webhooks/${sender}`, { method: "POST", body, headers });
  await answer.text();
  return answer.status;
}

const sign = (body: string, key = secret) => createHmac("sha256", key).update(body).digest("hex");
const push = JSON.stringify({
  repository: { clone_url: "https://forge.example/acme/gitops.git", full_name: "acme/gitops" },
});
const project = JSON.stringify({ project: { git_http_url: "https://gitlab.example/acme/gitops.git" } });
const notification = JSON.stringify({
  events: [{ action: "push", target: { repository: "acme/web", tag: "released" } }],
});
const harbor = JSON.stringify({ event_data: { repository: { repo_full_name: "acme/web" } } });
const quay = JSON.stringify({ docker_url: "quay.io/acme/web" });

test.each([
  { sender: "github", body: push, headers: (text: string) => ({ "x-hub-signature-256": `sha256=${sign(text)}` }) },
  { sender: "gitea", body: push, headers: (text: string) => ({ "x-gitea-signature": sign(text) }) },
  { sender: "gitlab", body: project, headers: () => ({ "x-gitlab-token": secret }) },
  { sender: "registry", body: notification, headers: () => ({ authorization: `Bearer ${secret}` }) },
  { sender: "registry", body: harbor, headers: () => ({ authorization: secret }) },
  { sender: "registry", body: quay, headers: () => ({ authorization: secret }) },
])(
  "a webhook of $sender that proves the secret wakes what it names, and one that does not wakes nothing",
  async (given) => {
    const { sender, body, headers } = given;
    hints.length = 0;
    expect(await send(sender, body, headers(body))).toBe(202);
    expect(hints).toHaveLength(1);
    expect(hints[0]?.names.every((name) => name.endsWith("acme/web") || name.includes("acme/gitops"))).toBe(true);
    expect(await send(sender, body, {})).toBe(401);
    const wrong = Object.fromEntries(Object.entries(headers(body)).map(([name, value]) => [name, `${value}0`]));
    expect(await send(sender, body, wrong)).toBe(401);
    expect(hints).toHaveLength(1);
  },
);

test("a webhook that is not JSON, too large, or sent elsewhere is refused", async () => {
  const headers = { "x-gitlab-token": secret };
  expect(await send("gitlab", "{", headers)).toBe(400);
  expect(await send("gitlab", `"${"x".repeat(2 ** 20)}"`, headers)).toBe(413);
  expect(await send("jenkins", "{}", headers)).toBe(404);
  expect(await send("gitlab", "{}", headers)).toBe(202);
});

test.each(["github", "gitea"])("a signature of %s is for one body alone", async (sender) => {
  const headers = { "x-hub-signature-256": `sha256=${sign(push)}`, "x-gitea-signature": sign(push) };
  expect(await send(sender, push, headers)).toBe(202);
  expect(await send(sender, `${push} `, headers)).toBe(401);
});
