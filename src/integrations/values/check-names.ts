import { type Finding, findingOf } from "../data/finding.ts";
import { hasSchedule, type ShardedPlace } from "./chart-values.ts";

/** Also what the names of its parameters are made of: others could not be referred to. */
const integrationName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestLabel = 63;

/** What is wrong with the names of one namespace, before a chart has made its own of them. */
export function checkNames(sharded: readonly ShardedPlace[]): Finding[] {
  return [...sharded.flatMap(illegalNames), ...repeated(sharded), ...clashes(sharded)];
}

function illegalNames({ place, shards }: ShardedPlace): Finding[] {
  const { integration } = place;
  if (!integrationName.test(integration)) {
    const what = `${JSON.stringify(integration)} is not a valid name for an integration`;
    const next = "use lower-case letters, digits and -, with a letter or digit at both ends";
    return [{ ...findingOf(place, [], what, next), at: ["name"] }];
  }
  if (integration.length > longestLabel) {
    const what = `the name ${integration} has ${integration.length} characters; labels may have at most ${longestLabel}`;
    return [{ ...findingOf(place, [], what, "choose a shorter name"), at: ["name"] }];
  }
  const illegal = shards.filter(({ shard_name_suffix: suffix }) => !objectName.test(`${integration}${suffix}`));
  if (illegal.length === 0) return [];
  const names = illegal.map(({ shard_key: key, shard_id: id }) => JSON.stringify(key || id)).join(", ");
  const what = `${integration}: ${illegal.length === 1 ? "shard" : "shards"} ${names} cannot be part of an object name`;
  const next = "name what they are for with lower-case letters, digits, - and . only";
  return [findingOf(place, ["sharding"], what, next)];
}

/** An integration that is there twice would be two objects of one name. */
function repeated(sharded: readonly ShardedPlace[]): Finding[] {
  const byName = Map.groupBy(sharded, ({ place }) => place.integration);
  return [...byName.values()]
    .filter(({ length }) => length > 1)
    .flatMap((found) =>
      found.map(({ place }) => {
        const others = found.filter((other) => other.place !== place).map(({ place: other }) => describe(other));
        const what = `${place.integration} already runs in namespace ${place.namespace.name}: ${others.join(", ")}`;
        return findingOf(place, ["namespace"], what, "keep one of them");
      }),
    );
}

function describe({ where, index }: ShardedPlace["place"]): string {
  return `managed[${index}] of ${where}`;
}

/** `a` in parts is `a-0` and `a-1`, and there may be an integration of that name. */
function clashes(sharded: readonly ShardedPlace[]): Finding[] {
  const named = sharded.flatMap((one) =>
    one.shards.map(({ shard_name_suffix: suffix }) => ({ one, name: `${one.place.integration}${suffix}` })),
  );
  const byName = Map.groupBy(named, ({ one, name }) => `${hasSchedule(one.place)} ${name}`);
  return [...byName.values()].flatMap((found) => {
    const integrations = new Set(found.map(({ one }) => one.place.integration));
    if (integrations.size < 2) return [];
    return found.map(({ one: { place }, name }) => {
      const others = [...integrations].filter((other) => other !== place.integration).join(", ");
      const what = `${place.integration} and ${others} would both have an object named ${name}`;
      return findingOf(place, [], what, "rename one of them");
    });
  });
}
