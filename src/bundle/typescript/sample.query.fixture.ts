// Written by `tenon data query --types` from sample.graphql; do not edit.

/** A string that holds JSON. */
export type JsonText = string;

/** JSON, as a variable. */
export type JsonInput = null | boolean | number | string | readonly JsonInput[] | { readonly [key: string]: JsonInput };

export type SampleData = {
  readonly integrations: readonly {
    readonly name: string;
    readonly labels: JsonText | null;
    readonly sharding: {
      readonly __typename: "StaticSharding_v1";
      readonly shards: number;
    } | {
      readonly __typename: "AccountSharding_v1" | "ClusterSharding_v1";
    } | null;
  }[] | null;
};

export type SampleVariables = {
  readonly name?: string | null;
  readonly filter?: JsonInput | null;
};

export const sampleQuery: {
  readonly document: string;
  readonly types?: { readonly data: SampleData; readonly variables: SampleVariables };
} = {
  document: `
    query Sample($name: String, $filter: JSON) {
      integrations: integrations_v1(name: $name, filter: $filter) {
        name
        labels
        sharding {
          __typename
          ... on StaticSharding_v1 {
            shards
          }
        }
      }
    }
  `,
};
