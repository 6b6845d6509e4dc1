import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import {
  type Bundle,
  type Queryable,
  type QueryError,
  QueryFailure,
  readJsonScalar,
  runTypedQuery,
  type TypedQuery,
} from "#bundle";
import type {
  AutomationToken,
  ClusterData,
  ManagedTarget,
  NamespaceData,
  Sharding,
  ShardOverride,
  VaultSecretRef,
} from "./integration.ts";

interface IntegrationsAnswer {
  readonly integrations: readonly JsonObject[];
  /** By the position of the integration that each is of. */
  readonly errors: ReadonlyMap<unknown, readonly QueryError[]>;
}

/** Asks for all integrations. An error that is of none of them fails everything. */
export async function askIntegrations(queryable: Queryable, signal: AbortSignal): Promise<IntegrationsAnswer> {
  const types = await runTypedQuery(queryable, optionalFieldsQuery, {}, signal);
  const known = new Map(
    Object.entries(types).map(([type, found]) => [type, new Set(found?.fields?.map(({ name }) => name))]),
  );
  const document = integrationsDocument((type, field) => known.get(type)?.has(field) ?? false);
  const answer = await queryable.query(document, {}, signal);
  const { errors = [], data } = answer;
  const integrations = isJsonObject(data) ? listAt(data, "integrations").filter(isJsonObject) : [];
  if (!isJsonObject(data) || !errors.every((error) => isOf(error, integrations))) {
    throw new QueryFailure(`bundle ${queryable.identity}, query Integrations`, answer);
  }
  return { integrations, errors: Map.groupBy(errors, ({ path = [] }) => path[1]) };
}

function isOf({ path = [] }: QueryError, answers: readonly JsonObject[]): boolean {
  const [list, index] = path;
  return list === "integrations" && typeof index === "number" && answers[index] !== undefined;
}

/** Which integration it is, and where it stands. */
export interface IntegrationHead {
  readonly integration: string;
  readonly file: string | undefined;
  readonly where: string;
  readonly upstream: string | undefined;
}

export function readHead(answer: JsonObject, bundle: Bundle | undefined): IntegrationHead {
  const integration = textAt(answer, "name");
  const file = textAt(answer, "path") || undefined;
  const where = (file !== undefined && bundle?.datafiles.get(file)?.file) || file || integration;
  return { integration, file, where, upstream: textAt(answer, "upstream") || undefined };
}

/** The integration as it would stand in a file. */
export function writtenContent(answer: JsonObject): JsonObject {
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

/** The targets whose namespace could be read. */
export function readTargets(answer: JsonObject, head: IntegrationHead, reader: NamespaceReader): ManagedTarget[] {
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
      suspended: readSuspension(entry) ?? readSuspension(answer),
    });
  }
  return targets;
}

/** Reads what a server says of namespaces. Those of one path are the same object, and so are equal parameters. */
export class NamespaceReader {
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

/** The integrations that it comes after. */
export function readOrder(answer: JsonObject): readonly string[] {
  return listAt(answer, "after").filter((name) => typeof name === "string");
}

export function readSuspension(answer: JsonObject): string | undefined {
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
