import { withoutInvalid } from "../data/data-validity.ts";
import type { ClusterData } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import type { DesiredOptions } from "../desired/desired.ts";
import { selectTargets } from "../desired/select-targets.ts";

/** A cluster of the data, and how much runs there. */
export interface ClusterUse {
  readonly cluster: ClusterData;
  readonly namespaces: number;
  readonly integrations: number;
}

/** The clusters that the integrations of the data run on. Nothing is rendered. */
export async function clusterUses(
  data: ManagerData,
  options: DesiredOptions,
  signal: AbortSignal,
): Promise<readonly ClusterUse[]> {
  const { groups } = await selectTargets(withoutInvalid(data), options, signal);
  return [...Map.groupBy(groups, ({ namespace }) => namespace.cluster.name).values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const integrations = own.flatMap(({ sharded }) => sharded.map(({ target }) => target.integration));
    return [
      {
        cluster: first.namespace.cluster,
        namespaces: new Set(own.map(({ namespace }) => namespace.name)).size,
        integrations: new Set(integrations).size,
      },
    ];
  });
}
