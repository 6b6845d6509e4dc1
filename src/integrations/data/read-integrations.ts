import { formatFieldPath, isJsonList, isJsonObject, type JsonObject } from "#base";
import { runTypedQuery, type Bundle, checkIntegration, type Queryable, QueryFailure, type QueryError } from "#bundle";
import { type IntegrationFinding, type IntegrationFindings, scopeOf } from "./integration-finding.ts";
import type { Integration, ManagedTarget } from "./integration.ts";
import { integrationsDocument, optionalFieldsQuery } from "./integration-queries.ts";
import { listAt, NamespaceReader, readSharding, readSpec, textAt } from "./read-target.ts";

const integrationSchema = "/app-sre/integration-1.yml";

export interface ReadIntegrations extends IntegrationFindings {
  /** In the order of the data, each with the targets that it describes without an error. */
  readonly integrations: readonly Integration[];
  /** The upstreams of all integrations, of whichever upstream; undefined for those that name none. */
  readonly upstreams: ReadonlySet<string | undefined>;
}

export interface ReadIntegrationsOptions {
  /** Only integrations of this upstream; all of them when absent. */
  readonly upstream?: string | undefined;
}

/** What can be asked, and its files if they are at hand: these say more in messages. */
export type ManagerData = Queryable & { readonly bundle?: Bundle };

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
  const errors: IntegrationFinding[] = [];
  const warnings: IntegrationFinding[] = [];
  const upstreams = new Set<string | undefined>();
  const integrations = answers.flatMap((described, index) => {
    const head = headOf(described, queryable.bundle);
    upstreams.add(head.upstream);
    if (upstream !== undefined && head.upstream !== upstream) return [];
    const targets = readTargets(described, head, reader);
    const complaints = complaintsOf(described, head, queryable.bundle);
    const failures = [
      ...(errorsOf.get(index) ?? []).map((error) => unreadable(head, error)),
      ...complaints.filter(({ isError }) => isError).map(({ finding }) => finding),
    ].map((finding) => withScope(finding, targets));
    errors.push(...failures);
    warnings.push(...complaints.filter(({ isError }) => !isError).map(({ finding }) => withScope(finding, targets)));
    const isWhole = failures.every(({ namespace }) => namespace !== undefined);
    const broken = new Set(failures.map(({ at = [] }) => at[1]));
    const { integration: name, file } = head;
    return [
      {
        name,
        file,
        upstream: head.upstream,
        targets: isWhole ? targets.filter((target) => !broken.has(target.index)) : [],
      },
    ];
  });
  return { integrations, upstreams, errors, warnings };
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
function complaintsOf(answer: JsonObject, { integration, file, where }: Head, bundle: Bundle | undefined) {
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
    });
  }
  return targets;
}
