import type { JsonObject, Redact } from "#base";
import type { Side, Stage } from "../kinds/names.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import type { StageResult } from "./apparatus-answers.ts";

/** Who waits for an answer: the plug or socket that is looked at, which need not be the one with the apparatus. */
export interface Waiter {
  readonly uid: string;
  /** Another text than before asks for a new try, although nothing else has changed. */
  readonly retry?: string | undefined;
  /** Masks what is secret to it in what an apparatus says. */
  readonly redact: Redact;
  /** It is worth another look: the answer is there, or there is something new to say about the wait. */
  wake(): void;
}

/** A question to the apparatus of one side. The same question has the same id, however often it is asked. */
export interface ConfigCall {
  readonly side: Side;
  /** Whose apparatus it is. */
  readonly object: Plug | Socket;
  readonly body: JsonObject;
  readonly id: string;
  readonly waiter: Waiter;
}

/** One call of a stage. The same stage of the same attempt has the same id, however often it is called. */
export interface StageCall extends ConfigCall {
  readonly stage: Stage;
}

/** Calls the pods that plugs and sockets bring along. */
export interface ApparatusClient {
  /**
   * Before the resources of a side's half; does nothing for an object without an apparatus. Gives back the result that the
   * answer has, if it says anything of one.
   */
  call(call: StageCall, signal: AbortSignal): Promise<StageResult | void>;
  /** What `/config` answers; undefined for an object without an apparatus. */
  config(call: ConfigCall, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Nobody waits any more for what was asked for this plug or socket. */
  forget(uid: string): void;
}

/**
 * The answer is not there yet, and nothing has failed. Whoever looks at a plug goes on with another one; the waiter is woken,
 * and asks the same again.
 */
export class ApparatusWait extends Error {
  /** For people; undefined while the wait is too short to be worth a word. */
  readonly reason: string | undefined;

  constructor(reason: string | undefined) {
    super(reason ?? "waiting for the apparatus");
    this.reason = reason;
  }

  override get name(): string {
    return "ApparatusWait";
  }
}
