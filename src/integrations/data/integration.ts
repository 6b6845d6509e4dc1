import type { JsonObject } from "#base";

/** Where a secret is kept; never the secret itself. */
export interface VaultSecretRef {
  readonly path: string;
  readonly field: string;
  /** The newest when absent. */
  readonly version?: number | undefined;
  /** `plain` (the default) or `base64`. */
  readonly format?: string | undefined;
}

/** One of several rotating tokens; the first active one that has a secret and is not marked for deletion is used. */
export interface AutomationToken {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly active: boolean;
  readonly delete: boolean;
  readonly secret?: VaultSecretRef | undefined;
}

export interface ClusterData {
  readonly name: string;
  readonly serverUrl: string;
  readonly internal?: boolean | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly disabledIntegrations: readonly string[];
  readonly automationToken?: VaultSecretRef | undefined;
  readonly automationTokens: readonly AutomationToken[];
  readonly labels: JsonObject;
}

export interface EnvironmentData {
  readonly name: string;
  readonly parameters: JsonObject;
}

export interface NamespaceData {
  /** Of its data file. Places with the same one are rendered together. */
  readonly path: string;
  readonly name: string;
  /** It is marked for deletion, with everything in it. */
  readonly delete?: boolean | undefined;
  readonly environment: EnvironmentData;
  readonly cluster: ClusterData;
}

/** What is different in one shard. */
export interface ShardOverride {
  /** The object that the shard is for, as the data describes it: always with its `name`. */
  readonly shard: JsonObject;
  readonly imageRef?: string | undefined;
  readonly resources?: JsonObject | undefined;
  readonly disabled?: boolean | undefined;
  readonly subSharding?: { readonly strategy: string; readonly shards?: number | undefined } | undefined;
}

export interface Sharding {
  readonly strategy: string;
  /** Only of the strategy `static`. */
  readonly shards?: number | undefined;
  readonly shardSpecOverrides: readonly ShardOverride[];
}

/** A namespace in which an integration is to run, and how. */
export interface ManagedTarget {
  readonly integration: string;
  /** Path of the integration's file within the data. */
  readonly file: string | undefined;
  /** How messages name the target: its file if known, else the integration. */
  readonly where: string;
  /** Its number in the file's `managed`. */
  readonly index: number;
  readonly namespace: NamespaceData;
  /** The settings without nulls, those that no schema knows included. */
  readonly spec: JsonObject;
  readonly sharding: Sharding | undefined;
  readonly upstream: string | undefined;
  /** Arguments of the integration that choose a shard; undefined when the data does not say. */
  readonly shardArguments: readonly string[] | undefined;
  /** Why nothing changes here, if the target or its integration is suspended. */
  readonly suspended?: string | undefined;
}

/** An integration of the data. */
export interface Integration {
  readonly name: string;
  readonly file: string | undefined;
  readonly upstream: string | undefined;
  readonly targets: readonly ManagedTarget[];
  /** How messages name it: its file if known, else its name. */
  readonly where: string;
  /** Integrations that must be healthy before this one is changed. */
  readonly after: readonly string[];
  /** Why nothing of it changes, if it is suspended as a whole. */
  readonly suspended?: string | undefined;
}
