import type { ManagedTarget } from "../data/integration.ts";
import type { ShardSpec } from "./make-shards.ts";
import type { ShardedTarget } from "./render-targets.ts";

/** A target for a test. */
export function sampleTarget(more: Partial<ManagedTarget> = {}): ManagedTarget {
  return {
    integration: "a",
    file: `/integrations/${more.integration ?? "a"}.yml`,
    where: `data/integrations/${more.integration ?? "a"}.yml`,
    index: 0,
    namespace: {
      path: "/namespaces/n.yml",
      name: "n",
      environment: { name: "e", parameters: {} },
      cluster: { name: "c", serverUrl: "", disabledIntegrations: [], automationTokens: [], labels: {} },
    },
    spec: {},
    sharding: undefined,
    upstream: undefined,
    shardArguments: undefined,
    ...more,
  };
}

/** The same in shards with these suffixes. */
export function sampleSharded(more: Partial<ManagedTarget>, suffixes: readonly string[] = [""]): ShardedTarget {
  return { target: sampleTarget(more), shards: suffixes.map(sampleShard) };
}

function sampleShard(suffix: string): ShardSpec {
  return { shards: "", shard_id: "", shard_key: suffix.slice(1), shard_name_suffix: suffix, extra_args: "" };
}
