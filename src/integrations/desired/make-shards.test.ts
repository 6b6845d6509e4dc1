import { describe, expect, test } from "vitest";
import type { ManagedTarget, Sharding, ShardOverride } from "../data/integration.ts";
import { makeShards, type ShardOptions, type ShardSources } from "./make-shards.ts";

const sources: ShardSources = new Map([
  [
    "per-aws-account",
    ["acc-1", "acc-2", "acc-3", "acc-4"].map((name) => ({
      name,
      key: name,
      disabledIntegrations: name === "acc-4" ? ["aws_integration"] : [],
    })),
  ],
  ["per-openshift-cluster", ["cluster-1", "cluster-2"].map((name) => ({ name, key: name, disabledIntegrations: [] }))],
  [
    "per-ocm-organization",
    [
      { name: "org-1", key: "org-id-A", disabledIntegrations: [] },
      { name: "org-2", key: "org-id-B", disabledIntegrations: [] },
    ],
  ],
]);

const target: ManagedTarget = {
  integration: "aws_integration",
  file: "/integrations/a.yml",
  where: "data/integrations/a.yml",
  index: 0,
  namespace: {
    path: "/namespaces/n.yml",
    name: "n",
    environment: { name: "e", parameters: {} },
    cluster: { name: "c", serverUrl: "", disabledIntegrations: [], automationTokens: [], labels: {} },
  },
  spec: { extraArgs: "integ-extra-arg" },
  sharding: undefined,
  upstream: undefined,
  shardArguments: ["--account-name", "--cluster-name", "--org-id"],
};

function sharding(strategy: string, ...shardSpecOverrides: readonly ShardOverride[]): Sharding {
  return { strategy, shardSpecOverrides };
}

function make(how: Sharding | undefined, more: Partial<ManagedTarget> = {}, options: ShardOptions = {}) {
  const { shards, errors, warnings } = makeShards({ ...target, ...more, sharding: how }, sources, options);
  return { shards, errors: errors.map(({ what }) => what), warnings: warnings.map(({ what }) => what) };
}

const whole = { shards: "1", shard_id: "0", shard_key: "", shard_name_suffix: "", extra_args: "integ-extra-arg" };
const keyed = { shards: "", shard_id: "" };

describe("static", () => {
  test("G4-01, C-2: without sharding there is one shard, and its name has no suffix", () => {
    expect(make(undefined)).toEqual({ shards: [whole], errors: [], warnings: [] });
  });

  test("G4-02, C-1, C-5: two static shards are numbered from 0, and the numbers are strings", () => {
    expect(make({ ...sharding("static"), shards: 2 }).shards).toEqual([
      { ...whole, shards: "2", shard_name_suffix: "-0" },
      { ...whole, shards: "2", shard_id: "1", shard_name_suffix: "-1" },
    ]);
  });

  test("G4-03: one static shard is the same as no sharding", () => {
    expect(make({ ...sharding("static"), shards: 1 }).shards).toEqual([whole]);
  });

  test("G4-13, C-8: fewer than one static shard is an error", () => {
    expect(make({ ...sharding("static"), shards: 0 })).toMatchObject({ shards: [], errors: [/0 shards/] });
    expect(make({ ...sharding("static"), shards: -1 }).errors).toHaveLength(1);
    expect(make(sharding("static")).errors).toHaveLength(1);
  });
});

describe("one for each", () => {
  test("G4-04, C-5: sharding per AWS account makes a shard for each account that is not disabled", () => {
    expect(make(sharding("per-aws-account")).shards).toEqual(
      ["acc-1", "acc-2", "acc-3"].map((name) => ({
        shards: "",
        shard_id: "",
        shard_key: name,
        shard_name_suffix: `-${name}`,
        extra_args: `integ-extra-arg --account-name ${name}`,
      })),
    );
  });

  test("G4-05: an account that is disabled for one integration has a shard for another", () => {
    expect(make(sharding("per-aws-account"), { integration: "other" }).shards).toHaveLength(4);
  });

  test("G4-06, C-12: an override is passed on with its shard, and a disabled shard stays", () => {
    const resources = { limits: { memory: "1Gi" } };
    const { shards, warnings } = make(
      sharding(
        "per-aws-account",
        { shard: { name: "acc-1" }, imageRef: "abc" },
        { shard: { name: "acc-2" }, resources },
        { shard: { name: "acc-3" }, disabled: true },
      ),
    );
    expect(warnings).toEqual([]);
    expect(shards.map((shard) => [shard.shard_key, shard.shard_spec_overrides])).toEqual([
      ["acc-1", { shard: { name: "acc-1" }, imageRef: "abc" }],
      ["acc-2", { shard: { name: "acc-2" }, resources }],
      ["acc-3", { shard: { name: "acc-3" }, disabled: true }],
    ]);
  });

  test("G4-07: sharding per OCM organization uses the id as key, in lower case in the object name only; overrides refer to the name", () => {
    const { shards } = make(
      sharding("per-ocm-organization", { shard: { name: "org-2", orgId: "org-id-B" }, imageRef: "x" }),
    );
    expect(shards).toEqual([
      {
        ...keyed,
        shard_key: "org-id-A",
        shard_name_suffix: "-org-id-a",
        extra_args: "integ-extra-arg --org-id org-id-A",
      },
      {
        ...keyed,
        shard_key: "org-id-B",
        shard_name_suffix: "-org-id-b",
        extra_args: "integ-extra-arg --org-id org-id-B",
        shard_spec_overrides: { shard: { name: "org-2", orgId: "org-id-B" }, imageRef: "x" },
      },
    ]);
  });

  test("G4-08: sharding per OpenShift cluster makes a shard for each cluster", () => {
    const { shards } = make(sharding("per-openshift-cluster"));
    expect(shards.map((shard) => shard.extra_args)).toEqual([
      "integ-extra-arg --cluster-name cluster-1",
      "integ-extra-arg --cluster-name cluster-2",
    ]);
  });

  test("G4-09, C-14: sub-sharding splits a shard, and each part keeps the rest of the override", () => {
    const override = { shard: { name: "cluster-1" }, imageRef: "x", subSharding: { strategy: "static", shards: 2 } };
    const { shards } = make(sharding("per-openshift-cluster", override));
    expect(shards).toMatchObject([
      ...["0", "1"].map((id) => ({
        shards: "2",
        shard_id: id,
        shard_key: "cluster-1",
        shard_name_suffix: `-cluster-1-${id}`,
        shard_spec_overrides: { shard: { name: "cluster-1" }, imageRef: "x" },
      })),
      { ...keyed, shard_key: "cluster-2", shard_name_suffix: "-cluster-2" },
    ]);
  });

  test("C-14: sub-sharding into one part still numbers the part", () => {
    const override = { shard: { name: "cluster-1" }, subSharding: { strategy: "static", shards: 1 } };
    const [first] = make(sharding("per-openshift-cluster", override)).shards;
    expect(first).toMatchObject({ shards: "1", shard_id: "0", shard_name_suffix: "-cluster-1-0" });
  });

  test("G4-10: a cluster that an override disables keeps its shard", () => {
    const { shards } = make(sharding("per-openshift-cluster", { shard: { name: "cluster-1" }, disabled: true }));
    expect(shards).toHaveLength(2);
    expect(shards[0]?.shard_spec_overrides).toEqual({ shard: { name: "cluster-1" }, disabled: true });
  });

  test("G4-11, C-7: an integration without the argument of its strategy is an error that names both", () => {
    const { shards, errors } = make(sharding("per-aws-account"), { shardArguments: ["--cluster-name"] });
    expect(shards).toEqual([]);
    expect(errors).toHaveLength(1);
    for (const word of ["aws_integration", "--account-name", "per-aws-account"]) expect(errors[0]).toContain(word);
  });

  test("C-4, C-19: the arguments of qontract-reconcile's integrations are known, an unknown integration has none", () => {
    const known = { integration: "terraform-users", shardArguments: undefined };
    expect(make(sharding("per-aws-account"), known).errors).toEqual([]);
    expect(make(sharding("per-openshift-cluster"), known).errors).toHaveLength(1);
    expect(make(sharding("per-aws-account"), { shardArguments: undefined }).errors).toHaveLength(1);
    expect(make(sharding("per-aws-account"), { ...known, shardArguments: [] }).errors).toHaveLength(1);
  });

  test("G4-12, C-6: without extraArgs, the arguments of a shard begin with a space, as upstream writes them", () => {
    expect(make(sharding("per-aws-account"), { spec: {} }).shards[0]?.extra_args).toBe(" --account-name acc-1");
    expect(make(sharding("per-aws-account"), { spec: { extraArgs: "" } }).shards[0]?.extra_args).toBe(
      " --account-name acc-1",
    );
    expect(make(undefined, { spec: {} }).shards[0]?.extra_args).toBe("");
  });

  test("G4-13, C-10: zero shards are an error, unless they are allowed", () => {
    const none = { ...target, sharding: sharding("per-aws-account") };
    expect(makeShards(none, new Map([["per-aws-account", []]]))).toMatchObject({ shards: [], errors: [{}] });
    const allowed = makeShards(none, new Map([["per-aws-account", []]]), { allowZeroShards: true });
    expect(allowed).toEqual({ shards: [], errors: [], warnings: [] });
    const disabled = [{ name: "a", key: "a", disabledIntegrations: ["aws_integration"] }];
    expect(makeShards(none, new Map([["per-aws-account", disabled]])).errors).toHaveLength(1);
  });

  test("what the shards are for cannot be read: an error that says why", () => {
    const failed = new Map([["per-aws-account", new Error("no answer")]]);
    const { errors } = makeShards({ ...target, sharding: sharding("per-aws-account") }, failed);
    expect(errors[0]?.what).toContain("no answer");
  });
});

describe("what cannot be", () => {
  test.each([
    {
      reason: "G4-14, C-3: an unknown strategy is an error and makes no shards",
      how: sharding("per-moon"),
      error: /per-moon/,
    },
    {
      reason: "G4-14: a strategy named like an inherited property is an error and makes no shards",
      how: sharding("constructor"),
      error: /constructor/,
    },
    {
      reason: "G4-14, C-15: a sub-sharding strategy other than static is an error and makes no shards",
      how: sharding("per-openshift-cluster", {
        shard: { name: "cluster-1" },
        subSharding: { strategy: "per-moon", shards: 2 },
      }),
      error: /per-moon/,
    },
    {
      reason: "C-15: sub-sharding into fewer than one part is an error and makes no shards",
      how: sharding("per-openshift-cluster", {
        shard: { name: "cluster-1" },
        subSharding: { strategy: "static", shards: 0 },
      }),
      error: /0 parts/,
    },
    {
      reason: "C-12: sub-sharding of an AWS account is an error and makes no shards",
      how: sharding("per-aws-account", { shard: { name: "acc-1" }, subSharding: { strategy: "static", shards: 2 } }),
      error: /no sub-sharding/,
    },
    {
      reason: "C-13: two overrides of one shard are an error and make no shards",
      how: sharding("per-aws-account", { shard: { name: "acc-1" } }, { shard: { name: "acc-1" } }),
      error: /twice/,
    },
  ])("$reason", ({ how, error }) => {
    expect(make(how)).toMatchObject({ shards: [], errors: [error] });
  });

  test("C-13: an override of a shard that does not exist is a warning that says why", () => {
    const how = sharding("per-aws-account", { shard: { name: "acc-4" } }, { shard: { name: "acc-9" } });
    const { shards, warnings } = make(how);
    expect(shards).toHaveLength(3);
    expect(warnings).toEqual([expect.stringMatching(/acc-4.*disabled/), expect.stringMatching(/acc-9.*no such shard/)]);
  });
});
