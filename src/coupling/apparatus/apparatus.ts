import { InputError, type JsonObject } from "#base";
import type { Side, Stage } from "../kinds/names.ts";
import { describeObject } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";

/** One call of a stage. The same stage of the same attempt has the same id, however often it is called. */
export interface StageCall {
  readonly stage: Stage;
  readonly side: Side;
  readonly object: Plug | Socket;
  readonly body: JsonObject;
  readonly id: string;
}

/** Calls the pods that plugs and sockets bring along. */
export interface Apparatus {
  /** Before the resources of a side's half; does nothing for an object without an apparatus. */
  call(call: StageCall, signal: AbortSignal): Promise<void>;
  /** What `/config` answers; undefined for an object without an apparatus. */
  config(side: Side, object: Plug | Socket, body: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
}

/** For a Tenon that runs no pods: an object that asks for one is told so. */
export const noApparatus: Apparatus = {
  call: async ({ object }) => refuse(object),
  config: async (_, object) => refuse(object),
};

function refuse(object: Plug | Socket): undefined {
  if (object.spec.apparatus === undefined) return undefined;
  throw new InputError("this Tenon runs no apparatus", {
    where: `${describeObject(object)} spec.apparatus`,
    next: "do the work by resources, or wait for a version that runs apparatus pods",
  });
}
