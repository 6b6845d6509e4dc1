import type { Clock } from "#base";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import type { OwnPods } from "./own-pods.ts";
import type { OwnService } from "./service-routes.ts";

/** A read for each call would cost about as much as the call of an apparatus that runs. */
const trustMs = 10_000;

/** Whether Services still have the addresses they had: where one was deleted, its address may become a stranger's. */
export class ServiceChecks {
  readonly #pods: Pick<OwnPods, "findAddress">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #trustedUntil = new WeakMap<OwnService, number>();

  constructor(pods: Pick<OwnPods, "findAddress">, clock: Pick<Clock, "monotonic">) {
    this.#pods = pods;
    this.#clock = clock;
  }

  /** As was known a moment ago. */
  async isCurrent(service: OwnService, object: Plug | Socket, signal: AbortSignal): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (now < (this.#trustedUntil.get(service) ?? now)) return true;
    if ((await this.#pods.findAddress(object, service.name, signal)) !== service.clusterIP) return false;
    this.#trustedUntil.set(service, now + trustMs);
    return true;
  }
}
