import type { JsonObject } from "#base";

/** One shard as charts read it. An empty text means that it is not set. */
// A type, because an interface is no JsonObject.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type ShardSpec = {
  readonly shards: string;
  readonly shard_id: string;
  readonly shard_key: string;
  readonly shard_name_suffix: string;
  readonly extra_args: string;
  readonly shard_spec_overrides?: JsonObject;
};
