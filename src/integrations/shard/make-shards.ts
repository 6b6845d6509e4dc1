import { describeError, type FieldPath, type JsonObject, nearestName } from "#base";
import type { ManagedPlace, Sharding, ShardOverride } from "../data/integration.ts";
import { type Finding, findingOf, type Findings } from "../data/finding.ts";
import { type KeyStrategy, keyStrategies } from "./key-strategies.ts";
import { shardArgumentsOf } from "./registry.ts";
import type { ShardSource, ShardSources } from "./shard-sources.ts";
import type { ShardSpec } from "./shard-spec.ts";

/** The shards of one place. Without any, the errors say why, unless that is allowed. */
export interface MadeShards extends Findings {
  readonly shards: readonly ShardSpec[];
}

export interface ShardOptions {
  readonly allowZeroShards?: boolean | undefined;
}

/** Cuts a place into shards, in the order of what they are for. All or nothing: with an error there are no shards. */
export function makeShards(place: ManagedPlace, sources: ShardSources, options: ShardOptions = {}): MadeShards {
  const { sharding = { strategy: "static", shards: 1, shardSpecOverrides: [] } } = place;
  if (sharding.strategy === "static") return makeStaticShards(place, sharding);
  const strategy = Object.hasOwn(keyStrategies, sharding.strategy) ? keyStrategies[sharding.strategy] : undefined;
  if (!strategy) return failed(unknownStrategy(place, sharding.strategy));
  return new KeyedShards(place, sharding, strategy).make(sources.get(sharding.strategy) ?? [], options);
}

function failed(...errors: readonly Finding[]): MadeShards {
  return { shards: [], errors, warnings: [] };
}

function unknownStrategy(place: ManagedPlace, strategy: string): Finding {
  const known = ["static", ...Object.keys(keyStrategies)];
  const near = nearestName(strategy, known);
  return findingOf(
    place,
    ["sharding", "strategy"],
    `${place.integration}: sharding strategy ${JSON.stringify(strategy)} not found`,
    near === undefined ? `use one of ${known.join(", ")}` : `did you mean ${near}?`,
  );
}

function makeStaticShards(place: ManagedPlace, { shards = 0, shardSpecOverrides }: Sharding): MadeShards {
  const what = `${place.integration} has ${shards} shards: nothing would run, and what runs now would be deleted`;
  if (shards < 1) return failed(findingOf(place, ["sharding", "shards"], what, "write 1 or more"));
  const warnings = shardSpecOverrides.map((override, index) =>
    findingOf(
      place,
      overridePath(index),
      `the override of shard ${shardName(override)} has no effect: the strategy is static`,
    ),
  );
  const extraArguments = argumentLine(place);
  return {
    shards: Array.from({ length: shards }, (_, id) => ({
      shards: String(shards),
      shard_id: String(id),
      shard_key: "",
      shard_name_suffix: shards > 1 ? `-${id}` : "",
      extra_args: extraArguments,
    })),
    errors: [],
    warnings,
  };
}

class KeyedShards {
  readonly #place: ManagedPlace;
  readonly #sharding: Sharding;
  readonly #strategy: KeyStrategy;
  readonly #errors: Finding[] = [];
  readonly #warnings: Finding[] = [];

  constructor(place: ManagedPlace, sharding: Sharding, strategy: KeyStrategy) {
    this.#place = place;
    this.#sharding = sharding;
    this.#strategy = strategy;
  }

  make(sources: readonly ShardSource[] | Error, { allowZeroShards = false }: ShardOptions): MadeShards {
    const { integration } = this.#place;
    const { argument, plural } = this.#strategy;
    const { strategy } = this.#sharding;
    if (!shardArgumentsOf(this.#place).includes(argument)) {
      const what = `${integration} has no argument ${argument}, which the strategy ${strategy} needs`;
      this.#fail(
        ["sharding", "strategy"],
        what,
        `if it does have that argument, list it as shardArguments in its file`,
      );
    }
    if (sources instanceof Error) {
      this.#fail(["sharding", "strategy"], `cannot read the ${plural}: ${describeError(sources)}`);
      return this.#made([]);
    }
    const taken = sources.filter(({ disabledIntegrations }) => !disabledIntegrations.includes(integration));
    const overrides = this.#readOverrides(new Set(taken.map(({ name }) => name)), sources);
    if (taken.length === 0 && !allowZeroShards) {
      const what = `${integration} would have no shards: ${sources.length === 0 ? `there are no ${plural}` : `it is disabled for all ${plural}`}`;
      this.#fail(
        ["sharding", "strategy"],
        what,
        "to delete everything it runs, remove the entry, or allow zero shards",
      );
    }
    return this.#made(taken.flatMap((source) => this.#shardsOf(source, overrides.get(source.name))));
  }

  #made(shards: readonly ShardSpec[]): MadeShards {
    return { shards: this.#errors.length > 0 ? [] : shards, errors: this.#errors, warnings: this.#warnings };
  }

  #fail(at: FieldPath, what: string, next?: string): void {
    this.#errors.push(findingOf(this.#place, at, what, next));
  }

  #readOverrides(taken: ReadonlySet<string>, sources: readonly ShardSource[]): ReadonlyMap<string, ShardOverride> {
    const overrides = new Map<string, ShardOverride>();
    for (const [index, override] of this.#sharding.shardSpecOverrides.entries()) {
      const name = shardName(override);
      const at = overridePath(index);
      if (overrides.has(name)) {
        this.#fail(at, `${this.#place.integration} overrides shard ${name} twice`, "merge the two overrides");
      }
      overrides.set(name, override);
      if (!taken.has(name)) {
        const isKnown = sources.some((source) => source.name === name);
        const why = isKnown ? `${this.#place.integration} is disabled for it` : "there is no such shard";
        this.#warnings.push(
          findingOf(this.#place, at, `the override of shard ${name} has no effect: ${why}`, "delete it"),
        );
      }
      this.#checkSubSharding(override, at);
    }
    return overrides;
  }

  #checkSubSharding(override: ShardOverride, at: FieldPath): void {
    const { subSharding } = override;
    if (!subSharding) return;
    const { strategy, shards = 0 } = subSharding;
    const where = [...at, "subSharding"];
    const name = shardName(override);
    if (!this.#strategy.allowsSubSharding) {
      this.#fail(
        where,
        `shard ${name} cannot be split further: ${this.#sharding.strategy} has no sub-sharding`,
        "delete it",
      );
    } else if (strategy !== "static") {
      this.#fail(
        [...where, "strategy"],
        `shard ${name}: sub-sharding strategy ${JSON.stringify(strategy)} not found`,
        "use static",
      );
    } else if (shards < 1) {
      this.#fail([...where, "shards"], `shard ${name} has ${shards} sub-shards: nothing would run`, "write 1 or more");
    }
  }

  #shardsOf({ key }: ShardSource, override: ShardOverride | undefined): ShardSpec[] {
    const { argument, nameOf } = this.#strategy;
    const whole: ShardSpec = {
      shards: "",
      shard_id: "",
      shard_key: key,
      shard_name_suffix: `-${nameOf(key)}`,
      extra_args: argumentLine(this.#place, `${argument} ${key}`),
      ...(override && { shard_spec_overrides: overrideValues(override) }),
    };
    const parts = override?.subSharding?.shards;
    if (parts === undefined) return [whole];
    return Array.from({ length: Math.max(parts, 0) }, (_, id) => ({
      ...whole,
      shards: String(parts),
      shard_id: String(id),
      shard_name_suffix: `${whole.shard_name_suffix}-${id}`,
    }));
  }
}

function shardName({ shard }: ShardOverride): string {
  const { name } = shard;
  return typeof name === "string" ? name : "";
}

function overridePath(index: number): FieldPath {
  return ["sharding", "shardSpecOverrides", index];
}

/** The arguments of the integration, and those of the shard behind them. */
function argumentLine({ spec }: ManagedPlace, ofShard = ""): string {
  const { extraArgs } = spec;
  return [typeof extraArgs === "string" ? extraArgs : "", ofShard].filter(Boolean).join(" ");
}

/** Without the sub-sharding, which its shards are made from already. */
function overrideValues({ shard, imageRef, resources, disabled }: ShardOverride): JsonObject {
  return {
    shard,
    ...(imageRef !== undefined && { imageRef }),
    ...(disabled !== undefined && { disabled }),
    ...(resources !== undefined && { resources }),
  };
}
