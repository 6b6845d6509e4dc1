import { DeferredResource } from "./deferred-resource.ts";
import { Plug } from "./plug.ts";
import { Socket } from "./socket.ts";

/** Every kind that the job `couple` needs in a cluster. */
export const couplingKinds = [Plug, Socket, DeferredResource] as const;
