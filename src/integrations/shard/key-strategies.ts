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
