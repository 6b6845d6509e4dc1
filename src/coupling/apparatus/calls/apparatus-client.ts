import type { JsonObject, Redact } from "#base";
import type { Plug, Side, Socket, Stage } from "../../kinds/index.ts";
import type { StageResult } from "./apparatus-answers.ts";

/** The plug or socket that is reconciled and waits for an answer; the apparatus may belong to the other side. */
export interface Waiter {
  readonly uid: string;
  /** A new text triggers a new attempt, even if nothing else has changed. */
  readonly retry?: string | undefined;
  /** Masks the waiter's secrets in texts of an apparatus. */
  readonly redact: Redact;
  /** Starts another reconciliation: the answer has arrived, or the reason of the wait has changed. */
  wake(): void;
}

/** A `/config` call to the apparatus of one side. The same question has the same id, however often it is sent. */
export interface ConfigCall {
  readonly side: Side;
  /** Whose apparatus it is. */
  readonly object: Plug | Socket;
  readonly body: JsonObject;
  readonly id: string;
  readonly waiter: Waiter;
}

/** A stage call. The same stage of the same attempt has the same id, however often it is sent. */
export interface StageCall extends ConfigCall {
  readonly stage: Stage;
}

/** Calls the apparatuses of plugs and sockets. */
export interface ApparatusClient {
  /**
   * Called before the resources of a side's half; does nothing for an object without an apparatus. Returns the `result` of the
   * answer, if it has one.
   */
  call(call: StageCall, signal: AbortSignal): Promise<StageResult | void>;
  /** What `/config` answers; undefined for an object without an apparatus. */
  config(call: ConfigCall, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Cancels the calls for this plug or socket. */
  forget(uid: string): void;
}

/**
 * The answer has not arrived yet, and nothing has failed. The worker continues with another plug; the waiter is woken and
 * sends the same call again.
 */
export class ApparatusWait extends Error {
  /** What it waits for; undefined while the wait is too short to be reported. */
  readonly reason: string | undefined;

  constructor(reason: string | undefined) {
    super(reason ?? "waiting for the apparatus");
    this.reason = reason;
  }

  override get name(): string {
    return "ApparatusWait";
  }
}
