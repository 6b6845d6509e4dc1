import type { TypeDescription } from "../type-description.ts";

/** A small description with everything that the types of a query can depend on. */
export const sampleTypes: readonly TypeDescription[] = [
  {
    name: "Query",
    fields: [
      { name: "integrations_v1", type: "Integration_v1", isList: true, datafileSchema: "/integration-1.yml" },
      { name: "first_v1", type: "Integration_v1", datafileSchema: "/integration-1.yml" },
    ],
  },
  {
    name: "Integration_v1",
    datafile: "/integration-1.yml",
    fields: [
      { name: "name", type: "string", isRequired: true, isSearchable: true },
      { name: "upstream", type: "string" },
      { name: "labels", type: "json" },
      { name: "replicas", type: "int" },
      { name: "weight", type: "float" },
      { name: "schemas", type: "string", isList: true, isRequired: true },
      { name: "sharding", type: "Sharding_v1", isInterface: true },
      { name: "shards", type: "Sharding_v1", isInterface: true, isList: true, isRequired: true },
    ],
  },
  {
    name: "Sharding_v1",
    isInterface: true,
    interfaceResolve: {
      strategy: "fieldMap",
      field: "strategy",
      fieldMap: { static: "StaticSharding_v1", account: "AccountSharding_v1", cluster: "ClusterSharding_v1" },
    },
    fields: [{ name: "strategy", type: "string", isRequired: true }],
  },
  {
    name: "StaticSharding_v1",
    interface: "Sharding_v1",
    fields: [
      { name: "strategy", type: "string", isRequired: true },
      { name: "shards", type: "int", isRequired: true },
    ],
  },
  ...["AccountSharding_v1", "ClusterSharding_v1"].map((name) => ({
    name,
    interface: "Sharding_v1",
    fields: [
      { name: "strategy", type: "string", isRequired: true },
      { name: "disabled", type: "boolean" },
    ],
  })),
];
