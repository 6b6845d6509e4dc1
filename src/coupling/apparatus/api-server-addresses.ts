import { isIP } from "node:net";
import type { Clock } from "#base";
import type { Resolve } from "./guarded-lookup.ts";

const memoryMs = 5 * 60_000;

/** What the hosts of the API server stand for now. A name that cannot be resolved cannot be called by anybody either. */
export function apiServerAddresses(
  hosts: readonly string[],
  resolve: Resolve,
  clock: Pick<Clock, "monotonic">,
): () => Promise<readonly string[]> {
  const names = hosts.map((host) => host.replace(/^\[(.*)\]$/, "$1")).filter((host) => host !== "");
  let known: { readonly addresses: Promise<readonly string[]>; readonly until: number } | undefined;

  async function resolveAll(): Promise<readonly string[]> {
    const found = await Promise.all(
      names.map(async (name) => {
        if (isIP(name) !== 0) return [name];
        return await resolve(name).then(
          (addresses) => addresses.map(({ address }) => address),
          () => [],
        );
      }),
    );
    return found.flat();
  }

  return () => {
    if (!known || clock.monotonic() > known.until) {
      known = { addresses: resolveAll(), until: clock.monotonic() + memoryMs };
    }
    return known.addresses;
  };
}
