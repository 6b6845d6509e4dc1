import { describeError, type FieldPath, type JsonObject, nearestName } from "#base";
import { runTypedQuery, type TypedQuery } from "#bundle";
import { type IntegrationFinding, type IntegrationFindings, targetFinding } from "../data/integration-finding.ts";
import type { ManagedTarget, Sharding, ShardOverride } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import type { DesiredOptions } from "./desired.ts";

/** One shard as charts read it. An empty text means that it is not set. */
// A type, because an interface is not a JsonObject.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type ShardSpec = {
  readonly shards: string;
  readonly shard_id: string;
  readonly shard_key: string;
  readonly shard_name_suffix: string;
  readonly extra_args: string;
  readonly shard_spec_overrides?: JsonObject;
};

/** The shards of one target. Without any, the errors say why, unless that is allowed. */
interface MadeShards extends IntegrationFindings {
  readonly shards: readonly ShardSpec[];
}

export interface ShardOptions {
  readonly allowZeroShards?: boolean | undefined;
}

/** Splits a target into shards, in the order of their keys. All or nothing: with an error there are no shards. */
export function makeShards(target: ManagedTarget, sources: ShardSources, options: ShardOptions = {}): MadeShards {
  const { sharding = { strategy: "static", shards: 1, shardSpecOverrides: [] } } = target;
  if (sharding.strategy === "static") return makeStaticShards(target, sharding);
  const strategy = Object.hasOwn(keyStrategies, sharding.strategy) ? keyStrategies[sharding.strategy] : undefined;
  if (!strategy) return failed(unknownStrategy(target, sharding.strategy));
  return new KeyedShards(target, sharding, strategy).make(sources.get(sharding.strategy) ?? [], options);
}

function failed(...errors: readonly IntegrationFinding[]): MadeShards {
  return { shards: [], errors, warnings: [] };
}

function unknownStrategy(target: ManagedTarget, strategy: string): IntegrationFinding {
  const known = ["static", ...Object.keys(keyStrategies)];
  const near = nearestName(strategy, known);
  return targetFinding(
    target,
    ["sharding", "strategy"],
    `${target.integration}: sharding strategy ${JSON.stringify(strategy)} not found`,
    near === undefined ? `use one of ${known.join(", ")}` : `did you mean ${near}?`,
  );
}

function makeStaticShards(target: ManagedTarget, { shards = 0, shardSpecOverrides }: Sharding): MadeShards {
  const what = `${target.integration} has ${shards} shards: nothing would run, and what runs now would be deleted`;
  if (shards < 1) return failed(targetFinding(target, ["sharding", "shards"], what, "write 1 or more"));
  const warnings = shardSpecOverrides.map((override, index) =>
    targetFinding(
      target,
      overridePath(index),
      `the override of shard ${shardName(override)} has no effect: the strategy is static`,
    ),
  );
  const extraArguments = argumentLine(target);
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
  readonly #target: ManagedTarget;
  readonly #sharding: Sharding;
  readonly #strategy: KeyStrategy;
  readonly #errors: IntegrationFinding[] = [];
  readonly #warnings: IntegrationFinding[] = [];

  constructor(target: ManagedTarget, sharding: Sharding, strategy: KeyStrategy) {
    this.#target = target;
    this.#sharding = sharding;
    this.#strategy = strategy;
  }

  make(sources: readonly ShardSource[] | Error, { allowZeroShards = false }: ShardOptions): MadeShards {
    const { integration } = this.#target;
    const { argument, plural } = this.#strategy;
    const { strategy } = this.#sharding;
    if (!shardArgumentsOf(this.#target).includes(argument)) {
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
    this.#errors.push(targetFinding(this.#target, at, what, next));
  }

  #readOverrides(taken: ReadonlySet<string>, sources: readonly ShardSource[]): ReadonlyMap<string, ShardOverride> {
    const overrides = new Map<string, ShardOverride>();
    for (const [index, override] of this.#sharding.shardSpecOverrides.entries()) {
      const name = shardName(override);
      const at = overridePath(index);
      if (overrides.has(name)) {
        this.#fail(at, `${this.#target.integration} overrides shard ${name} twice`, "merge the two overrides");
      }
      overrides.set(name, override);
      if (!taken.has(name)) {
        const isKnown = sources.some((source) => source.name === name);
        const why = isKnown ? `${this.#target.integration} is disabled for it` : "there is no such shard";
        this.#warnings.push(
          targetFinding(this.#target, at, `the override of shard ${name} has no effect: ${why}`, "delete it"),
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
      extra_args: argumentLine(this.#target, `${argument} ${key}`),
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

/**
 * The arguments of the integration, and those of the shard behind them. The space before the shard's arguments stays when the
 * integration has none of its own: qontract-reconcile writes it, and without it every pod restarts when Tenon takes over.
 */
function argumentLine({ spec }: ManagedTarget, ofShard?: string): string {
  const own = typeof spec["extraArgs"] === "string" ? spec["extraArgs"] : "";
  return ofShard === undefined ? own : `${own} ${ofShard}`;
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

/** The integrations of qontract-reconcile that can work on a part alone, by the argument that says which one. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  "--account-name": [
    "aws-account-manager",
    "aws-iam-keys",
    "aws-saml-idp",
    "aws-saml-roles",
    "terraform-aws-route53",
    "terraform-init",
    "terraform-resources",
    "terraform-tgw-attachments",
    "terraform-users",
    "terraform-vpc-peerings",
    "terraform-vpc-resources",
  ],
  "--cluster-name": [
    "dashdotdb-dvo",
    "endpoints-discovery",
    "openshift-namespaces",
    "openshift-namespaces-api",
    "openshift-prometheus-rules",
    "openshift-resources",
    "openshift-rhcs-certs",
    "openshift-routes",
    "openshift-vault-secrets",
    "prometheus-rules-tester",
  ],
  "--org-id": ["advanced-upgrade-scheduler", "ocm-addons-upgrade-scheduler-org", "ocm-upgrade-scheduler-org"],
};

/** The arguments that choose a shard of an integration: those of its file, else the known ones of qontract-reconcile. */
function shardArgumentsOf({ integration, shardArguments }: ManagedTarget): readonly string[] {
  if (shardArguments) return shardArguments;
  return Object.keys(builtIn).filter((argument) => builtIn[argument]?.includes(integration));
}

/** One shard for each of something. */
interface KeyStrategy {
  readonly source: "awsAccounts" | "clusters" | "ocmOrganizations";
  /** The schema of their files. */
  readonly schema: string;
  /** For messages. */
  readonly plural: string;
  /** The argument that chooses the shard. */
  readonly argument: string;
  /** What the names of shards end with, after a hyphen. */
  readonly nameOf: (key: string) => string;
  readonly allowsSubSharding: boolean;
}

const asItIs = (key: string): string => key;

const keyStrategies: Readonly<Record<string, KeyStrategy>> = {
  "per-aws-account": {
    source: "awsAccounts",
    schema: "/aws/account-1.yml",
    plural: "AWS accounts",
    argument: "--account-name",
    nameOf: asItIs,
    allowsSubSharding: false,
  },
  "per-openshift-cluster": {
    source: "clusters",
    schema: "/openshift/cluster-1.yml",
    plural: "clusters",
    argument: "--cluster-name",
    nameOf: asItIs,
    allowsSubSharding: true,
  },
  "per-ocm-organization": {
    source: "ocmOrganizations",
    schema: "/openshift/openshift-cluster-manager-1.yml",
    plural: "OCM organizations",
    argument: "--org-id",
    // Ids have capital letters, and names of objects may not.
    nameOf: (key) => key.toLowerCase(),
    allowsSubSharding: false,
  },
};

/** Something that there is one shard for each of. */
interface ShardSource {
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

interface Disableable {
  readonly name: string;
  readonly disable: { readonly integrations: readonly string[] | null } | null;
}

const awsAccountsQuery: TypedQuery<{ readonly objects: readonly Disableable[] | null }, JsonObject> = {
  document: "query AwsAccounts { objects: awsaccounts_v1 { name disable { integrations } } }",
};

const clustersQuery: TypedQuery<{ readonly objects: readonly Disableable[] | null }, JsonObject> = {
  document: "query Clusters { objects: clusters_v1 { name disable { integrations } } }",
};

const ocmOrganizationsQuery: TypedQuery<
  { readonly objects: readonly { readonly name: string; readonly orgId: string }[] | null },
  JsonObject
> = { document: "query OcmOrganizations { objects: ocm_instances_v1 { name orgId } }" };

const queries: Readonly<
  Record<KeyStrategy["source"], TypedQuery<{ readonly objects: readonly Answered[] | null }, JsonObject>>
> = { awsAccounts: awsAccountsQuery, clusters: clustersQuery, ocmOrganizations: ocmOrganizationsQuery };

/** Asks for what these strategies need, and for nothing else. With an invalid file among them, some shards may be missing. */
export async function readShardSources(
  queryable: ManagerData,
  strategies: ReadonlySet<string>,
  locate: DesiredOptions["locate"],
  signal: AbortSignal,
): Promise<ShardSources> {
  const wanted = Object.entries(keyStrategies).filter(([name]) => strategies.has(name));
  return new Map(
    await Promise.all(
      wanted.map(async ([name, { source, schema }]) => {
        const invalid = queryable.validity?.invalidFileOf(schema);
        if (invalid) {
          const { path, at, what } = invalid;
          return [name, new Error(`${(await locate?.(path, at, signal)) ?? path}: ${what}`)] as const;
        }
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
