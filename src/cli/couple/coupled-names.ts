import { Plug, Socket } from "#coupling";
import { keyOf } from "#kube";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { withClient } from "./with-client.ts";

const kinds = { plug: Plug, socket: Socket } as const;
export type CoupledKind = keyof typeof kinds;

/** A cluster that is slower offers no names: a person who types does not wait longer. */
const patienceMs = 10_000;

/** The plugs or sockets of the cluster as `NAMESPACE/NAME`, for completion. */
export async function coupledNames(kind: CoupledKind, choice: ClusterChoice, shell: Shell): Promise<readonly string[]> {
  const { apiVersion, kind: name } = kinds[kind];
  const signal = AbortSignal.any([shell.signal, AbortSignal.timeout(patienceMs)]);
  return await withClient(choice, shell, async (client) => {
    const { items } = await client.list({ apiVersion, kind: name }, signal);
    return items.map((item) => keyOf(item)).toSorted();
  });
}
