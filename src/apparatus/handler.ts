import type { Logger } from "#base";

/** The stages that an apparatus is called for, in the order of a life. */
export const stages = ["created", "coupled", "updated", "decoupled", "deleted"] as const;
export type StageName = (typeof stages)[number];

/** What a handler knows of the call besides its body. */
export interface Call {
  /** The same for each try of the same thing; undefined if the caller gives none. */
  readonly id: string | undefined;
  /** Aborted when nobody waits for the handler any more: something newer was asked for, or the process ends. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Must be idempotent: after a crash on either side, the same call comes again. */
export type Handler<Body, Answer> = (body: Body, call: Call) => Answer | Promise<Answer>;

/**
 * `coupled` and `updated` may add to the result of their side; mostly there is nothing to say.
 * What they give is kept until they give another: `{ result: {} }` takes it back, nothing leaves it. All of it is secret.
 */
export type StageAnswer = { readonly result: Readonly<Record<string, string | number | boolean>> } | void;
