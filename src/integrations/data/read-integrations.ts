import { formatFieldPath, type JsonObject } from "#base";
import {
  type Bundle,
  type BundleValidation,
  checkIntegration,
  findOrderProblems,
  integrationSchema,
  type Queryable,
  type QueryError,
} from "#bundle";
import type { DataValidity } from "./data-validity.ts";
import { type IntegrationFinding, type IntegrationFindings, scopeOf } from "./integration-finding.ts";
import type { Integration, ManagedTarget } from "./integration.ts";
import {
  askIntegrations,
  type IntegrationHead,
  NamespaceReader,
  readHead,
  readOrder,
  readSuspension,
  readTargets,
  writtenContent,
} from "./integrations-answer.ts";

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
 * The integrations of the data. A part of the answer that has an error has a hole, and a plan made from it would delete
 * what only failed to be read; so each error takes its target out, or all of its integration, and one that belongs to none fails everything.
 */
export async function readIntegrations(
  queryable: ManagerData,
  { upstream }: ReadIntegrationsOptions,
  signal: AbortSignal,
): Promise<ReadIntegrations> {
  const answer = await askIntegrations(queryable, signal);
  const reader = new NamespaceReader();
  const invalid = queryable.validity?.errors ?? [];
  const isOfRun = (one: string | undefined): boolean => upstream === undefined || one === upstream;
  // An invalid file that names no upstream may have named this one before.
  const errors: IntegrationFinding[] = invalid.filter((one) => one.upstream === undefined || isOfRun(one.upstream));
  const warnings: IntegrationFinding[] = [];
  const upstreams = new Set(invalid.map((one) => one.upstream));
  const names = new Set<string>();
  const integrations = answer.integrations.flatMap((described, index) => {
    const head = readHead(described, queryable.bundle);
    upstreams.add(head.upstream);
    names.add(head.integration);
    if (!isOfRun(head.upstream)) return [];
    const targets = readTargets(described, head, reader);
    const complaints = complaintsOf(described, head, queryable);
    const failures = [
      ...(answer.errors.get(index) ?? []).map((error) => unreadable(head, error)),
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
        suspended: readSuspension(described),
        after: readOrder(described),
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

function unreadable(
  { integration, file, where }: IntegrationHead,
  { path = [], message }: QueryError,
): IntegrationFinding {
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
function complaintsOf(
  answer: JsonObject,
  { integration, file, where }: IntegrationHead,
  { bundle, validity }: ManagerData,
) {
  if (validity && file !== undefined) {
    const warnings = validity.warnings.get(file) ?? [];
    return warnings.map(({ what, next, at }) => ({
      isError: false,
      finding: { integration, file, where, what, next, at },
    }));
  }
  const datafile = file === undefined ? undefined : bundle?.datafiles.get(file);
  const content = datafile ? (datafile.written ?? datafile.content) : writtenContent(answer);
  const complaints = checkIntegration(content, integrationSchema);
  return complaints.map(({ isError, ...complaint }) => ({
    isError,
    finding: { integration, file, where, ...complaint },
  }));
}
