import { createHmac, randomUUID } from "node:crypto";
import { type Clock, describeError, redact, type Secret } from "#base";
import { backoffMs } from "#kube";
import type { Notification, NotificationEvent } from "./notification.ts";

export interface WebhookOptions {
  /** It may contain a token, as those of Slack do; so it is never printed. */
  readonly url: Secret;
  readonly events: readonly NotificationEvent[];
  /** Signs each body: the header `X-Signature` is `sha256=` and the HMAC in hexadecimal. */
  readonly secret?: Secret | undefined;
  /** slack: only the text, as Slack and Mattermost read it. */
  readonly format: "json" | "slack";
  readonly clock: Clock;
  readonly random: () => number;
  readonly warn: (what: string, problem: string) => void;
  /** The longest silence of the server; default 10 s. */
  readonly timeoutMs?: number | undefined;
}

const attempts = 5;
const waits = { shortestMs: 1_000, longestMs: 60_000 };
/** A server that is away for long must not fill our memory. */
const mostWaiting = 100;
const retryable: ReadonlySet<number> = new Set([408, 425, 429]);

/** Sends notifications one after the other, in the background. What fails is tried again, and then given up with a warning. */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #waiting: Notification[] = [];
  readonly #end = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Never waits, and never fails. */
  send(notification: Notification): void {
    if (!this.#options.events.includes(notification.event)) return;
    this.#waiting.push(notification);
    if (this.#waiting.length > mostWaiting) {
      this.#waiting.shift();
      this.#options.warn("notification dropped", `${mostWaiting} newer ones wait for the webhook`);
    }
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  /** Resolves when all is sent or given up, at the latest after `ms`; what is left then is given up. */
  async close(ms: number): Promise<void> {
    const { clock } = this.#options;
    using _ = clock.after(ms, () => this.#end.abort(new Error("the process ends")));
    while (this.#sending) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const problem = await this.#deliver(next).catch(describeError);
      if (problem !== undefined) this.#options.warn("notification not delivered", problem);
    }
  }

  /** Why it was given up. */
  async #deliver(notification: Notification): Promise<string | undefined> {
    const { clock, random } = this.#options;
    const id = randomUUID();
    const body = this.#bodyOf(notification);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#post(body, id, notification.event);
      if (typeof outcome === "number" && outcome < 300) return undefined;
      const problem = typeof outcome === "number" ? `the webhook answers ${outcome}` : outcome;
      const isFinal = typeof outcome === "number" && outcome < 500 && !retryable.has(outcome);
      if (isFinal || attempt === attempts || this.#end.signal.aborted) return problem;
      try {
        await clock.sleep(backoffMs(attempt, waits, random), this.#end.signal);
      } catch {
        return problem;
      }
    }
  }

  #bodyOf(notification: Notification): string {
    const content = this.#options.format === "slack" ? { text: notification.text } : notification;
    return JSON.stringify(content, (_, part: unknown) => (typeof part === "string" ? redact(part) : part));
  }

  /** The status of the answer, or why there was none. Redirects are not followed: they could lead anywhere. */
  async #post(body: string, id: string, event: string): Promise<number | string> {
    const { url, secret, timeoutMs = 10_000 } = this.#options;
    const { request } = await import("undici");
    try {
      const answer = await request(url.reveal(), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "tenon",
          "x-tenon-event": event,
          "x-tenon-delivery": id,
          ...(secret
            ? { "x-signature": `sha256=${createHmac("sha256", secret.reveal()).update(body).digest("hex")}` }
            : {}),
        },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: this.#end.signal,
      });
      await answer.body.dump();
      return answer.statusCode;
    } catch (error) {
      return describeError(error);
    }
  }
}
