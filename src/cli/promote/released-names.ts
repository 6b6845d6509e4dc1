import { keyOf } from "#kube";
import { EphemeralClaim, Release, ReleasePlan, Snapshot } from "#promotion";
import { withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";

const kinds = { release: Release, plan: ReleasePlan, snapshot: Snapshot, claim: EphemeralClaim } as const;
export type ReleasedKind = keyof typeof kinds;

/** A cluster that is slower offers no names: a person who types does not wait longer. */
const patienceMs = 10_000;

/** The Releases, plans or Snapshots of the cluster as `NAMESPACE/NAME`, for completion. */
export async function releasedNames(
  kind: ReleasedKind,
  choice: ClusterChoice,
  shell: Shell,
): Promise<readonly string[]> {
  const { apiVersion, kind: name } = kinds[kind];
  const signal = AbortSignal.any([shell.signal, AbortSignal.timeout(patienceMs)]);
  return await withClient(choice, shell, async (client) => {
    const { items } = await client.list({ apiVersion, kind: name }, signal);
    return items.map((item) => keyOf(item)).toSorted();
  });
}
