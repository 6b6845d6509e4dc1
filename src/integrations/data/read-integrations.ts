import { formatFieldPath, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import {
  type Bundle,
  type BundleValidation,
  checkIntegration,
  findOrderProblems,
  integrationSchema,
  type Queryable,
  type QueryError,
  QueryFailure,
  readJsonScalar,
  runTypedQuery,
  type TypedQuery,
} from "#bundle";
import type { DataValidity } from "./data-validity.ts";
import { type IntegrationFinding, type IntegrationFindings, scopeOf } from "./integration-finding.ts";
import type {
  AutomationToken,
  ClusterData,
  Integration,
  ManagedTarget,
  NamespaceData,
  Sharding,
  ShardOverride,
  VaultSecretRef,
} from "./integration.ts";

interface ReadIntegrations extends IntegrationFindings {
  /** In the order of the data, each with the targets that it describes without an error. */
  readonly integrations: readonly Integration[];
  /** The upstreams of all integrations, of whichever upstream; undefined for those that name none. */
  readonly upstreams: ReadonlySet<string | undefined>;
  /** The names of all integrations whose files are valid, of whichever upstream. */
  readonly names: ReadonlySet<string>;
}

interface ReadIntegrationsOptions {
  /** Only integrations of this upstream; all of them when absent. */
  readonly upstream?: string | undefined;
}

/** Data that can be queried, with its files if they are available: they make messages more precise. */
export type ManagerData = Queryable & {
  readonly bundle?: Bundle;
  readonly validate?: () => BundleValidation;
  /** What the validation found, once invalid integrations are left out. */
  readonly validity?: DataValidity;
};

/**
 * The integrations of the data. A part of the answer that has an error has a hole, and whoever acts on it deletes what only
 * failed to be read; so each error takes its target out, or all of its integration, and one that belongs to none fails everything.
 */
export async function readIntegrations(
  queryable: ManagerData,
  { upstream }: ReadIntegrationsOptions,
  signal: AbortSignal,
): Promise<ReadIntegrations> {
  const types = await runTypedQuery(queryable, optionalFieldsQuery, {}, signal);
  const known = new Map(
    Object.entries(types).map(([type, found]) => [type, new Set(found?.fields?.map(({ name }) => name))]),
  );
  const document = integrationsDocument((type, field) => known.get(type)?.has(field) ?? false);
  const answer = await queryable.query(document, {}, signal);
  const { errors: queryErrors = [], data } = answer;
  const answers = isJsonObject(data) ? listAt(data, "integrations").filter(isJsonObject) : [];
  if (!isJsonObject(data) || (queryErrors.length > 0 && !queryErrors.every((error) => isOf(error, answers)))) {
    throw new QueryFailure(`bundle ${queryable.identity}, query Integrations`, answer);
  }
  const errorsOf = Map.groupBy(queryErrors, ({ path = [] }) => path[1]);
  const reader = new NamespaceReader();
  const invalid = queryable.validity?.errors ?? [];
  const isOfRun = (one: string | undefined): boolean => upstream === undefined || one === upstream;
  // An invalid file that names no upstream may have named this one before.
  const errors: IntegrationFinding[] = invalid.filter((one) => one.upstream === undefined || isOfRun(one.upstream));
  const warnings: IntegrationFinding[] = [];
  const upstreams = new Set(invalid.map((one) => one.upstream));
  const names = new Set<string>();
  const integrations = answers.flatMap((described, index) => {
    const head = headOf(described, queryable.bundle);
    upstreams.add(head.upstream);
    names.add(head.integration);
    if (!isOfRun(head.upstream)) return [];
    const targets = readTargets(described, head, reader);
    const complaints = complaintsOf(described, head, queryable);
    const failures = [
      ...(errorsOf.get(index) ?? []).map((error) => unreadable(head, error)),
      ...complaints.filter(({ isError }) => isError).map(({ finding }) => finding),
    ].map((finding) => withScope(finding, targets));
    errors.push(...failures);
    warnings.push(...complaints.filter(({ isError }) => !isError).map(({ finding }) => withScope(finding, targets)));
    const isWhole = failures.every(({ namespace }) => namespace !== undefined);
    const broken = new Set(failures.map(({ at = [] }) => at[1]));
    const { integration: name, file, where } = head;
    return [
      {
        name,
        file,
        where,
        upstream: head.upstream,
        suspended: suspensionAt(described),
        after: namesAt(described, "after"),
        targets: isWhole ? targets.filter((target) => !broken.has(target.index)) : [],
      },
    ];
  });
  if (!queryable.validity) errors.push(...orderErrors(integrations, names));
  return { integrations, upstreams, names, errors, warnings };
}

/** Data without files is not validated, so its order is checked here. Who has a wrong order is not changed. */
function orderErrors(integrations: readonly Integration[], names: ReadonlySet<string>): IntegrationFinding[] {
  const after = new Map(integrations.map((one) => [one.name, one.after]));
  return findOrderProblems(after, names).map(({ name, index, what, next }) => {
    const found = integrations.find((one) => one.name === name);
    return { integration: name, file: found?.file, where: found?.where, at: ["after", index], what, next };
  });
}

interface Head {
  readonly integration: string;
  readonly file: string | undefined;
  readonly where: string;
  readonly upstream: string | undefined;
}

function headOf(answer: JsonObject, bundle: Bundle | undefined): Head {
  const integration = textAt(answer, "name");
  const file = textAt(answer, "path") || undefined;
  const where = (file !== undefined && bundle?.datafiles.get(file)?.file) || file || integration;
  return { integration, file, where, upstream: textAt(answer, "upstream") || undefined };
}

function isOf({ path = [] }: QueryError, answers: readonly JsonObject[]): boolean {
  const [list, index] = path;
  return list === "integrations" && typeof index === "number" && answers[index] !== undefined;
}

function unreadable({ integration, file, where }: Head, { path = [], message }: QueryError): IntegrationFinding {
  const at = path.slice(2);
  return {
    integration,
    file,
    where,
    at,
    what: `${formatFieldPath(at)} cannot be read: ${message}`,
    next: "correct the data; until then nothing of this integration is changed",
  };
}

/** Of an error in one target that is known, which one that is. */
function withScope(finding: IntegrationFinding, targets: readonly ManagedTarget[]): IntegrationFinding {
  const [list, index] = finding.at ?? [];
  const target = list === "managed" ? targets.find((one) => one.index === index) : undefined;
  return target ? { ...finding, ...scopeOf(target.namespace) } : finding;
}

/** What no query refuses: former forms beside today's, schedules that are none, settings without effect. */
function complaintsOf(answer: JsonObject, { integration, file, where }: Head, { bundle, validity }: ManagerData) {
  if (validity && file !== undefined) {
    const warnings = validity.warnings.get(file) ?? [];
    return warnings.map(({ what, next, at }) => ({
      isError: false,
      finding: { integration, file, where, what, next, at },
    }));
  }
  const datafile = file === undefined ? undefined : bundle?.datafiles.get(file);
  const content = datafile ? (datafile.written ?? datafile.content) : contentOf(answer);
  const complaints = checkIntegration(content, integrationSchema);
  return complaints.map(({ isError, ...complaint }) => ({
    isError,
    finding: { integration, file, where, ...complaint },
  }));
}

/** As it would stand in a file. */
function contentOf(answer: JsonObject): JsonObject {
  const { operate } = answer;
  const managed = listAt(answer, "managed").filter(isJsonObject);
  return {
    ...(typeof operate === "string" && { operate: [] }),
    managed: managed.map((entry) => {
      const { sharding } = entry;
      return isJsonObject(sharding) ? { spec: readSpec(entry), sharding } : { spec: readSpec(entry) };
    }),
  };
}

/** Those whose namespace could be read. */
function readTargets(answer: JsonObject, head: Head, reader: NamespaceReader): ManagedTarget[] {
  const declared = answer["shardArguments"];
  const shardArguments = isJsonList(declared) ? declared.filter((argument) => typeof argument === "string") : undefined;
  const targets: ManagedTarget[] = [];
  for (const [index, entry] of listAt(answer, "managed").entries()) {
    const namespace = isJsonObject(entry) ? entry["namespace"] : undefined;
    if (!isJsonObject(entry) || !isJsonObject(namespace)) continue;
    targets.push({
      ...head,
      index,
      namespace: reader.namespace(namespace),
      spec: readSpec(entry),
      sharding: readSharding(entry["sharding"]),
      shardArguments,
      suspended: suspensionAt(entry) ?? suspensionAt(answer),
    });
  }
  return targets;
}

/** Reads what a server says of namespaces. Those of one path are the same object, and so are equal parameters. */
class NamespaceReader {
  readonly #namespaces = new Map<string, NamespaceData>();
  readonly #parameters = new Map<string, JsonObject>();

  namespace(answer: JsonObject): NamespaceData {
    const path = textAt(answer, "path");
    const known = this.#namespaces.get(path);
    if (known) return known;
    const environment = objectAt(answer, "environment");
    const namespace = {
      path,
      name: textAt(answer, "name"),
      delete: flagAt(answer, "delete"),
      environment: { name: textAt(environment, "name"), parameters: this.#json(environment["parameters"]) },
      cluster: this.#cluster(objectAt(answer, "cluster")),
    };
    this.#namespaces.set(path, namespace);
    return namespace;
  }

  #cluster(answer: JsonObject): ClusterData {
    const disabled = listAt(objectAt(answer, "disable"), "integrations");
    return {
      name: textAt(answer, "name"),
      serverUrl: textAt(answer, "serverUrl"),
      internal: flagAt(answer, "internal"),
      insecureSkipTlsVerify: flagAt(answer, "insecureSkipTLSVerify"),
      disabledIntegrations: disabled.filter((name) => typeof name === "string"),
      automationToken: secretAt(answer, "automationToken"),
      automationTokens: listAt(answer, "automationTokens").filter(isJsonObject).map(tokenOf),
      labels: this.#json(answer["labels"]),
    };
  }

  /** Free-form objects arrive as text. */
  #json(text: JsonValue | undefined): JsonObject {
    if (typeof text !== "string") return {};
    const known = this.#parameters.get(text);
    if (known) return known;
    const value = readJsonScalar(text);
    const object = isJsonObject(value) ? value : {};
    this.#parameters.set(text, object);
    return object;
  }
}

/** The settings without nulls: those that the server's schema knows, with the types it gives them, over all that were written. */
function readSpec(answer: JsonObject): JsonObject {
  const { settings } = answer;
  const written = typeof settings === "string" ? readJsonScalar(settings) : undefined;
  const known = dropNulls(objectAt(answer, "spec"));
  return isJsonObject(written) ? merge(dropNulls(written), known) : known;
}

/** Tables are merged: within one that the schema knows there may be settings that it does not. */
function merge(below: JsonObject, above: JsonObject): JsonObject {
  const merged: { [key: string]: JsonValue } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const existing = merged[key];
    merged[key] = isJsonObject(value) && isJsonObject(existing) ? merge(existing, value) : value;
  }
  return merged;
}

function namesAt(answer: JsonObject, key: string): readonly string[] {
  return listAt(answer, key).filter((name) => typeof name === "string");
}

function suspensionAt(answer: JsonObject): string | undefined {
  return textAt(objectAt(answer, "suspend"), "reason") || undefined;
}

function readSharding(answer: JsonValue | undefined): Sharding | undefined {
  if (!isJsonObject(answer)) return undefined;
  return {
    strategy: textAt(answer, "strategy"),
    shards: numberAt(answer, "shards"),
    shardSpecOverrides: listAt(answer, "shardSpecOverrides").filter(isJsonObject).map(overrideOf),
  };
}

function overrideOf(answer: JsonObject): ShardOverride {
  const { subSharding, resources, imageRef } = answer;
  return {
    shard: dropNulls(objectAt(answer, "shard")),
    imageRef: typeof imageRef === "string" ? imageRef : undefined,
    resources: isJsonObject(resources) ? dropNulls(resources) : undefined,
    disabled: flagAt(answer, "disabled"),
    subSharding: isJsonObject(subSharding)
      ? { strategy: textAt(subSharding, "strategy"), shards: numberAt(subSharding, "shards") }
      : undefined,
  };
}

function tokenOf(answer: JsonObject): AutomationToken {
  return {
    name: textAt(answer, "name") || undefined,
    namespace: textAt(answer, "namespace") || undefined,
    active: flagAt(answer, "active") ?? false,
    delete: flagAt(answer, "delete") ?? false,
    secret: secretAt(answer, "secret"),
  };
}

function secretAt(answer: JsonObject, key: string): VaultSecretRef | undefined {
  const secret = answer[key];
  if (!isJsonObject(secret)) return undefined;
  return {
    path: textAt(secret, "path"),
    field: textAt(secret, "field"),
    version: numberAt(secret, "version"),
    format: textAt(secret, "format") || undefined,
  };
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

function listAt(object: JsonObject, key: string): readonly JsonValue[] {
  const value = object[key];
  return isJsonList(value) ? value : [];
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function flagAt(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  return typeof value === "boolean" ? value : undefined;
}

function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" ? value : undefined;
}

/** The same without keys whose value is null, at any depth. Null items of lists stay: their position counts. */
function dropNulls(object: JsonObject): JsonObject {
  const kept: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(object)) if (value !== null) kept[key] = withoutNulls(value);
  return kept;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map(withoutNulls);
  return isJsonObject(value) ? dropNulls(value) : value;
}

const resources = "{ requests { cpu memory } limits { cpu memory } }";
const override = `imageRef disabled resources ${resources}`;
const suspend = "{ reason }";
const secret = "{ path field version format }";

/** Fields that not every server has, by their types. */
const optionalFields = {
  Integration_v1: ["path", "shardArguments", "operate", "suspend", "after"],
  IntegrationManaged_v1: ["settings", "suspend"],
  Namespace_v1: ["delete"],
  Cluster_v1: ["internal", "disable", "automationTokens"],
} as const;

type OptionalType = keyof typeof optionalFields;

/** Which of these fields a server has. */
const optionalFieldsQuery: TypedQuery<
  Readonly<Record<string, { readonly fields: readonly { readonly name: string }[] | null } | null>>,
  JsonObject
> = {
  document: `query OptionalFields {
    ${Object.keys(optionalFields)
      .map((type) => `${type}: __type(name: "${type}") { fields { name } }`)
      .join("\n    ")}
  }`,
};

/** What is to run where. Fields of ours, and those that qontract-reconcile never asks for, only if `has` them. */
function integrationsDocument(has: (type: OptionalType, field: string) => boolean): string {
  const optional = (type: OptionalType, field: string, below = ""): string =>
    has(type, field) ? `${field} ${below}` : "";
  return `query Integrations {
    integrations: integrations_v1 {
      name
      upstream
      ${optional("Integration_v1", "path")}
      ${optional("Integration_v1", "shardArguments")}
      ${optional("Integration_v1", "operate")}
      ${optional("Integration_v1", "after")}
      ${optional("Integration_v1", "suspend", suspend)}
      managed {
        ${optional("IntegrationManaged_v1", "settings")}
        ${optional("IntegrationManaged_v1", "suspend", suspend)}
        namespace {
          path
          name
          ${optional("Namespace_v1", "delete")}
          environment { name parameters }
          cluster {
            name
            labels
            serverUrl
            insecureSkipTLSVerify
            ${optional("Cluster_v1", "internal")}
            ${optional("Cluster_v1", "disable", "{ integrations }")}
            automationToken ${secret}
            ${optional("Cluster_v1", "automationTokens", `{ name namespace active delete secret ${secret} }`)}
          }
        }
        spec {
          cache command disableUnleash environmentAware extraArgs
          extraEnv { secretName secretKey name value }
          internalCertificates
          logs { slack googleChat slackErrorFilter govSlack }
          resources ${resources}
          fluentdResources ${resources}
          sleepDurationSecs state storage storageClassName trigger cron dashdotdb concurrencyPolicy restartPolicy
          successfulJobHistoryLimit failedJobHistoryLimit imageRef enablePushgateway
        }
        sharding {
          strategy
          ... on StaticSharding_v1 { shards }
          ... on OpenshiftClusterSharding_v1 {
            shardSpecOverrides {
              shard { name }
              ${override}
              subSharding { strategy ... on StaticSubSharding_v1 { shards } }
            }
          }
          ... on OCMOrganizationSharding_v1 { shardSpecOverrides { shard { name orgId } ${override} } }
          ... on AWSAccountSharding_v1 { shardSpecOverrides { shard { name disable { integrations } } ${override} } }
        }
      }
    }
  }`;
}
