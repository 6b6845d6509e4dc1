import type { JsonObject, Logger } from "#base";

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

/** A stage may add to the result of its side; mostly there is nothing to say. */
export type StageAnswer = { readonly result: JsonObject } | void;
