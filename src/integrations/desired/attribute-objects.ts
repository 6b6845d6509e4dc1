import type { JsonObject } from "#base";
import { type Marks, renderedAttribution } from "#inventory";
import type { ShardedPlace } from "../values/chart-values.ts";

/** To which of these integrations an object of a chart belongs; undefined for what a namespace shares. */
export function attributeBy(sharded: readonly ShardedPlace[]): (object: JsonObject) => string | undefined {
  const integrations = new Set(sharded.map(({ place }) => place.integration));
  const objectNames = new Map(
    sharded.flatMap(({ place, shards }) =>
      shards.map(({ shard_name_suffix: suffix }) => [`${place.integration}${suffix}`, place.integration] as const),
    ),
  );
  const attribute = renderedAttribution(integrations, objectNames);
  return ({ metadata }) => attribute(isMarks(metadata) ? metadata : {});
}

function isMarks(metadata: unknown): metadata is Marks {
  return typeof metadata === "object" && metadata !== null;
}
