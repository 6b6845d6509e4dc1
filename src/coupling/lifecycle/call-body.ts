import type { JsonObject } from "#base";
import { jsonObject, type Pair, type Plug, sideOf, type Socket } from "../kinds/index.ts";
import { callView, plainTexts, viewOf } from "../sources/template-data.ts";
import { socketForPlugs, visibleConfig } from "../sources/visible-values.ts";
import type { Configs } from "./prepare-stage.ts";

/** The last pairing of a plug: its socket and configs at that time. */
export interface LastPairing extends Configs {
  readonly socket: Socket;
}

/** What a stage call is about. */
export interface CallParts extends Configs {
  readonly object: Plug | Socket;
  /** The other side, if the stage has one. */
  readonly pair: Partial<Pair>;
  /** The last pairing, for the apparatus of a deleted plug. */
  readonly lastPairing?: LastPairing;
}

/** The body of a stage call, as its side may see it: an unknown object is null, and an unknown config is empty. */
export function callBody({ lastPairing, ...half }: CallParts): JsonObject {
  const { pair, object, plugConfig, socketConfig } = { ...half, ...lastPairing };
  const plug = object.kind === "Plug" ? object : pair.plug;
  const known = object.kind === "Socket" ? object : (lastPairing?.socket ?? pair.socket);
  const socket = known && object.kind === "Plug" ? socketForPlugs(known) : known;
  return jsonObject({
    version: "1",
    plug: plug ? viewOf(plug) : null,
    socket: socket ? callView(socket) : null,
    plugConfig: plainTexts(plugConfig),
    socketConfig: plainTexts(visibleConfig(sideOf(object), known, socketConfig)),
  });
}
