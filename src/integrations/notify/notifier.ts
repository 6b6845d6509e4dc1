import type { Clock } from "#base";
import type { ManagedRun } from "../manage/managed-run.ts";
import { type KnownProblems, type NotificationContext, noProblems, notificationsOf } from "./notification.ts";
import type { Webhook } from "./webhook.ts";

/** Tells webhooks about runs. What it has told is known until the process ends. */
export class Notifier {
  readonly #webhooks: readonly Webhook[];
  readonly #clock: Pick<Clock, "now">;
  #known: KnownProblems = noProblems;

  constructor(webhooks: readonly Webhook[], clock: Pick<Clock, "now">) {
    this.#webhooks = webhooks;
    this.#clock = clock;
  }

  /** Never waits, and never fails. */
  tell(run: ManagedRun, context: Omit<NotificationContext, "at">): void {
    const { notifications, known } = notificationsOf(run, this.#known, { ...context, at: new Date(this.#clock.now()) });
    this.#known = known;
    for (const notification of notifications) for (const webhook of this.#webhooks) webhook.send(notification);
  }

  async close(ms: number): Promise<void> {
    await Promise.all(this.#webhooks.map((webhook) => webhook.close(ms)));
  }
}
