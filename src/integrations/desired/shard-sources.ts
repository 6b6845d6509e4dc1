import type { JsonObject } from "#base";
import { type Queryable, runTypedQuery, type TypedQuery } from "#bundle";
import { awsAccountsQuery, clustersQuery, ocmOrganizationsQuery } from "../data/integration-queries.ts";

/** One shard for each of something. */
export interface KeyStrategy {
  readonly source: "awsAccounts" | "clusters" | "ocmOrganizations";
  /** For messages. */
  readonly plural: string;
  /** By which the integration is told its shard. */
  readonly argument: string;
  /** What the names of shards end with, after a hyphen. */
  readonly nameOf: (key: string) => string;
  readonly allowsSubSharding: boolean;
}

const asItIs = (key: string): string => key;

export const keyStrategies: Readonly<Record<string, KeyStrategy>> = {
  "per-aws-account": {
    source: "awsAccounts",
    plural: "AWS accounts",
    argument: "--account-name",
    nameOf: asItIs,
    allowsSubSharding: false,
  },
  "per-openshift-cluster": {
    source: "clusters",
    plural: "clusters",
    argument: "--cluster-name",
    nameOf: asItIs,
    allowsSubSharding: true,
  },
  "per-ocm-organization": {
    source: "ocmOrganizations",
    plural: "OCM organizations",
    argument: "--org-id",
    // Ids have capital letters, and names of objects may not.
    nameOf: (key) => key.toLowerCase(),
    allowsSubSharding: false,
  },
};

/** Something that there is one shard for each of. */
export interface ShardSource {
  readonly name: string;
  readonly key: string;
  /** Integrations that leave it alone. */
  readonly disabledIntegrations: readonly string[];
}

/** What the shards of each strategy are made from, or why that is not known. */
export type ShardSources = ReadonlyMap<string, readonly ShardSource[] | Error>;

interface Answered {
  readonly name: string;
  readonly orgId?: string;
  readonly disable?: { readonly integrations: readonly string[] | null } | null;
}

const queries: Readonly<
  Record<KeyStrategy["source"], TypedQuery<{ readonly objects: readonly Answered[] | null }, JsonObject>>
> = { awsAccounts: awsAccountsQuery, clusters: clustersQuery, ocmOrganizations: ocmOrganizationsQuery };

/** Asks for what these strategies need, and for nothing else. */
export async function readShardSources(
  queryable: Queryable,
  strategies: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ShardSources> {
  const wanted = Object.entries(keyStrategies).filter(([name]) => strategies.has(name));
  return new Map(
    await Promise.all(
      wanted.map(async ([name, { source }]) => {
        const answer = await runTypedQuery(queryable, queries[source], {}, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          return error instanceof Error ? error : new Error(String(error));
        });
        return [name, answer instanceof Error ? answer : (answer.objects ?? []).map(sourceOf)] as const;
      }),
    ),
  );
}

function sourceOf({ name, orgId, disable }: Answered): ShardSource {
  return { name, key: orgId ?? name, disabledIntegrations: disable?.integrations ?? [] };
}
