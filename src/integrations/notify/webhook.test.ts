import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { type Clock, Secret, systemClock } from "#base";
import { hearRequests, listenOnLoopback } from "./hear-requests.fixture.ts";
import { notificationEvents, type Notification } from "./notification.ts";
import { Webhook, type WebhookOptions } from "./webhook.ts";

/** A real server that answers with the statuses one after the other, and then with 200. */
async function receiver(...statuses: readonly number[]) {
  const left = [...statuses];
  const { origin, heard } = await hearRequests(() => left.shift() ?? 200);
  return { url: `${origin}/hook`, received: heard };
}

/** Time passes at once where it is waited for. */
function hurried(waits: number[]): Clock {
  return {
    ...systemClock,
    async sleep(ms) {
      waits.push(ms);
    },
  };
}

function webhook(url: string, more: Partial<WebhookOptions> = {}) {
  const [warnings, waits]: [string[], number[]] = [[], []];
  const hook = new Webhook({
    url: new Secret(url),
    events: notificationEvents,
    format: "json",
    clock: hurried(waits),
    random: () => 0.5,
    warn: (what, problem) => void warnings.push(`${what}: ${problem}`),
    ...more,
  });
  return { hook, warnings, waits };
}

function notification(more: Partial<Notification> = {}): Notification {
  const about = { version: 1, at: "now", by: "me", why: "data", changes: [], problems: [] } as const;
  return { ...about, event: "applied", text: "tenon: 1 updated", ...more };
}

const minute = 60_000;

describe("a webhook", () => {
  test("gets the notification as JSON, signed so that a receiver can check it", async () => {
    const { url, received } = await receiver();
    const { hook, warnings } = webhook(url, { secret: new Secret("a shared secret") });
    hook.send(notification());
    await hook.close(minute);
    const [first] = received;
    expect(JSON.parse(first?.body ?? "")).toEqual(notification());
    const signature = createHmac("sha256", "a shared secret")
      .update(first?.body ?? "")
      .digest("hex");
    expect(first?.headers).toMatchObject({
      "content-type": "application/json",
      "x-signature": `sha256=${signature}`,
      "x-tenon-event": "applied",
    });
    expect(warnings).toEqual([]);
  });

  test("of the format slack gets only the text", async () => {
    const { url, received } = await receiver();
    const { hook } = webhook(url, { format: "slack" });
    hook.send(notification());
    await hook.close(minute);
    expect(received.map(({ body }) => body)).toEqual(['{"text":"tenon: 1 updated"}']);
  });

  test("gets only the events it asked for, in their order", async () => {
    const { url, received } = await receiver();
    const { hook } = webhook(url, { events: ["failed"] });
    for (const text of ["one", "two"]) hook.send(notification({ event: "failed", text }));
    hook.send(notification());
    await hook.close(minute);
    expect(received.map(({ body }) => JSON.parse(body).text)).toEqual(["one", "two"]);
  });

  test("gets a known secret masked", async () => {
    const { url, received } = await receiver();
    const secret = new Secret("correct-horse-battery");
    const { hook } = webhook(url);
    hook.send(notification({ problems: [{ what: `refused ${secret.reveal()}` }] }));
    await hook.close(minute);
    expect(received[0]?.body).toContain("refused ***");
  });
});

describe("a webhook that fails", () => {
  test("is called again, longer and longer apart, with the same id, until it answers", async () => {
    const { url, received } = await receiver(503, 429, 500);
    const { hook, warnings, waits } = webhook(url);
    hook.send(notification());
    await hook.close(minute);
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ headers }) => headers["x-tenon-delivery"])).size).toBe(1);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(warnings).toEqual([]);
  });

  test("is given up after five attempts, and the next notification is sent", async () => {
    const { url, received } = await receiver(500, 500, 500, 500, 500);
    const { hook, warnings } = webhook(url);
    hook.send(notification({ text: "lost" }));
    hook.send(notification({ text: "next" }));
    await hook.close(minute);
    expect(received.map(({ body }) => JSON.parse(body).text)).toEqual([...Array<string>(5).fill("lost"), "next"]);
    expect(warnings).toEqual(["notification not delivered: the webhook answers 500"]);
  });

  test.each([
    { status: 404, reason: "the address is wrong" },
    { status: 302, reason: "a redirect could lead anywhere" },
  ])("with $status is given up at once: $reason", async ({ status }) => {
    const { url, received } = await receiver(status);
    const { hook, warnings } = webhook(url);
    hook.send(notification());
    await hook.close(minute);
    expect(received).toHaveLength(1);
    expect(warnings).toEqual([`notification not delivered: the webhook answers ${status}`]);
  });

  test("because nothing listens is a warning that does not print its address", async () => {
    const { hook, warnings } = webhook("http://127.0.0.1:1/services/a-long-token-of-slack");
    hook.send(notification());
    await hook.close(minute);
    expect(warnings).toEqual([expect.stringMatching(/^notification not delivered: .+/)]);
    expect(warnings.join()).not.toContain("a-long-token-of-slack");
  });

  test("and never answers is given up when the process ends", async () => {
    const server = createServer(() => {});
    const { hook, warnings } = webhook(await listenOnLoopback(server));
    hook.send(notification());
    await hook.close(0);
    expect(warnings).toHaveLength(1);
  });

  test("and is away for long keeps the newest 100 notifications", async () => {
    const { url, received } = await receiver();
    const { hook, warnings } = webhook(url);
    for (let index = 0; index < 150; index += 1) hook.send(notification({ text: String(index) }));
    await hook.close(minute);
    expect(received.length).toBeLessThanOrEqual(101);
    expect(JSON.parse(received.at(-1)?.body ?? "{}").text).toBe("149");
    expect(warnings.filter((line) => line.startsWith("notification dropped"))).not.toEqual([]);
  });
});
