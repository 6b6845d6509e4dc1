import { withoutInvalid } from "../data/data-validity.ts";
import type { ClusterData } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import type { DesiredOptions } from "./desired.ts";
import { selectTargets } from "./select-targets.ts";

/** A namespace in which the data runs an integration. */
export interface DesiredPlace {
  readonly integration: string;
  readonly cluster: ClusterData;
  readonly namespace: string;
  /** Without those that the data disables. */
  readonly shards: number;
  /** Why nothing of it changes, if it is suspended. */
  readonly suspended?: string | undefined;
}

/** Where the data runs which integrations. Nothing is rendered, and what has an error is left out. */
export async function desiredPlaces(
  data: ManagerData,
  options: DesiredOptions,
  signal: AbortSignal,
): Promise<readonly DesiredPlace[]> {
  const { groups, isVisible } = await selectTargets(withoutInvalid(data), options, signal);
  return groups
    .filter(({ namespace }) => namespace.delete !== true)
    .flatMap(({ namespace: { name: namespace, cluster }, sharded }) =>
      sharded.map(({ target: { integration, suspended }, shards }): DesiredPlace => {
        const enabled = shards.filter((shard) => shard.shard_spec_overrides?.["disabled"] !== true);
        return { integration, cluster, namespace, suspended, shards: enabled.length };
      }),
    )
    .filter(({ integration, shards }) => isVisible(integration) && shards > 0);
}
