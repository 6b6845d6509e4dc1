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

  test("G4-02, C-1, C-5: two shards are numbered from 0, by texts", () => {
    expect(make({ ...sharding("static"), shards: 2 }).shards).toEqual([
      { ...whole, shards: "2", shard_name_suffix: "-0" },
      { ...whole, shards: "2", shard_id: "1", shard_name_suffix: "-1" },
    ]);
  });

  test("G4-03: one shard that is asked for is as if none were", () => {
    expect(make({ ...sharding("static"), shards: 1 }).shards).toEqual([whole]);
  });

  test("G4-13, C-8: less than one shard is an error", () => {
    expect(make({ ...sharding("static"), shards: 0 })).toMatchObject({ shards: [], errors: [/0 shards/] });
    expect(make({ ...sharding("static"), shards: -1 }).errors).toHaveLength(1);
    expect(make(sharding("static")).errors).toHaveLength(1);
  });
});

describe("one for each", () => {
  test("G4-04, C-5: account, without those that are disabled", () => {
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

  test("G4-05: what is disabled for one integration is not for another", () => {
    expect(make(sharding("per-aws-account"), { integration: "other" }).shards).toHaveLength(4);
  });

  test("G4-06, C-12: overrides come with their shards, and a disabled one stays", () => {
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

  test("G4-07: organization, by its id, which is in small letters in the name alone; overrides go by the name", () => {
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

  test("G4-08: cluster", () => {
    const { shards } = make(sharding("per-openshift-cluster"));
    expect(shards.map((shard) => shard.extra_args)).toEqual([
      "integ-extra-arg --cluster-name cluster-1",
      "integ-extra-arg --cluster-name cluster-2",
    ]);
  });

  test("G4-09, C-14: a shard is cut further, each part with the override but for that", () => {
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

  test("C-14: a shard that is cut into one part has a number all the same", () => {
    const override = { shard: { name: "cluster-1" }, subSharding: { strategy: "static", shards: 1 } };
    const [first] = make(sharding("per-openshift-cluster", override)).shards;
    expect(first).toMatchObject({ shards: "1", shard_id: "0", shard_name_suffix: "-cluster-1-0" });
  });

  test("G4-10: a disabled cluster is there", () => {
    const { shards } = make(sharding("per-openshift-cluster", { shard: { name: "cluster-1" }, disabled: true }));
    expect(shards).toHaveLength(2);
    expect(shards[0]?.shard_spec_overrides).toEqual({ shard: { name: "cluster-1" }, disabled: true });
  });

  test("G4-11, C-7: an integration without the argument is named with it and the strategy", () => {
    const { shards, errors } = make(sharding("per-aws-account"), { shardArguments: ["--cluster-name"] });
    expect(shards).toEqual([]);
    expect(errors).toHaveLength(1);
    for (const word of ["aws_integration", "--account-name", "per-aws-account"]) expect(errors[0]).toContain(word);
  });

  test("C-4, C-19: an integration of qontract-reconcile is known, and an unknown one has no arguments", () => {
    const known = { integration: "terraform-users", shardArguments: undefined };
    expect(make(sharding("per-aws-account"), known).errors).toEqual([]);
    expect(make(sharding("per-openshift-cluster"), known).errors).toHaveLength(1);
    expect(make(sharding("per-aws-account"), { shardArguments: undefined }).errors).toHaveLength(1);
    expect(make(sharding("per-aws-account"), { ...known, shardArguments: [] }).errors).toHaveLength(1);
  });

  test("G4-12, C-6: without arguments of its own, those of the shard do not begin with a space", () => {
    expect(make(sharding("per-aws-account"), { spec: {} }).shards[0]?.extra_args).toBe("--account-name acc-1");
  });

  test("G4-13, C-10: no shards at all is an error, unless that is allowed", () => {
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
    { reason: "G4-14, C-3: an unknown strategy", how: sharding("per-moon"), error: /per-moon/ },
    {
      reason: "G4-14: a strategy with the name of what every object has",
      how: sharding("constructor"),
      error: /constructor/,
    },
    {
      reason: "G4-14, C-15: another sub-strategy than static",
      how: sharding("per-openshift-cluster", {
        shard: { name: "cluster-1" },
        subSharding: { strategy: "per-moon", shards: 2 },
      }),
      error: /per-moon/,
    },
    {
      reason: "C-15: less than one part",
      how: sharding("per-openshift-cluster", {
        shard: { name: "cluster-1" },
        subSharding: { strategy: "static", shards: 0 },
      }),
      error: /0 parts/,
    },
    {
      reason: "C-12: parts of an account",
      how: sharding("per-aws-account", { shard: { name: "acc-1" }, subSharding: { strategy: "static", shards: 2 } }),
      error: /no sub-sharding/,
    },
    {
      reason: "C-13: two overrides of one shard",
      how: sharding("per-aws-account", { shard: { name: "acc-1" } }, { shard: { name: "acc-1" } }),
      error: /twice/,
    },
  ])("$reason is an error, and there are no shards", ({ how, error }) => {
    expect(make(how)).toMatchObject({ shards: [], errors: [error] });
  });

  test("C-13: an override of a shard that does not exist is a warning that says why", () => {
    const how = sharding("per-aws-account", { shard: { name: "acc-4" } }, { shard: { name: "acc-9" } });
    const { shards, warnings } = make(how);
    expect(shards).toHaveLength(3);
    expect(warnings).toEqual([expect.stringMatching(/acc-4.*disabled/), expect.stringMatching(/acc-9.*no such shard/)]);
  });
});
