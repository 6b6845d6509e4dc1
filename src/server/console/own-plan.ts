import {
  type ClusterData,
  clusterSources,
  type ManagedRun,
  type NamespaceMemory,
  type Notice,
  ownSources,
  planFromData,
  type PlannedRun,
} from "#integrations";
import { ApiError } from "#kube";
import type { ConsoleData, ConsoleReports } from "./console-data.ts";
import type { Person } from "./person.ts";
import type { PlanScope } from "./plan-api.ts";
import { Refused } from "./refused.ts";

/** A plan that was made with the rights of one person, and what is needed to apply it as that person. */
export interface OwnPlan extends AsyncDisposable {
  readonly planned: PlannedRun;
  readonly data: NonNullable<ManagedRun["data"]>;
  readonly committedAt: Date | undefined;
  readonly memory: NamespaceMemory | undefined;
  readonly warnings: readonly Notice[];
  /** Why the person cannot apply it. */
  readonly whyNot: string | undefined;
  readonly reports: ConsoleReports | undefined;
}

/** Plans as the person: the live objects are read with that person's credentials, and what they may not read is an error. */
export async function planAs(
  person: Person,
  data: ConsoleData,
  scope: PlanScope,
  warn: (what: string) => void,
  signal: AbortSignal,
): Promise<OwnPlan> {
  const { user } = await person.identify(signal);
  const reports = data.reports?.({ user, client: person.client }, warn);
  const loaded = await data.source.load(signal);
  const { memory, whyNot } = await readableMemory(await data.memory(person.client), signal);
  const skipped: Notice[] = [];
  const reach = person.isStarter
    ? (named: readonly ClusterData[]) => clusterSources(named, data.clusters)
    : await ownSources(person.access, data.clusters);
  const desire = data.desire();
  const narrowed = narrow(desire.integration, scope.integration);
  const planned = await planFromData(
    {
      ...data.limits,
      data: loaded,
      desire: { ...(reports?.listen(desire) ?? desire), integration: narrowed },
      kept: data.kept,
      memory,
      deletionsConfirmed: scope.deletions === "confirmed",
      reach(named) {
        const sources = reach(named);
        if (!person.isStarter)
          skipped.push(
            ...sources.flatMap(({ name, skip }) =>
              skip === undefined ? [] : [{ what: `cluster ${name} is left out: ${skip}` }],
            ),
          );
        return sources;
      },
    },
    signal,
  );
  const seconds = Number(loaded.gitCommitTimestamp);
  return {
    planned,
    data: { identity: loaded.identity, commit: loaded.gitCommit },
    committedAt: seconds > 0 ? new Date(seconds * 1_000) : undefined,
    memory,
    warnings: [...skipped, ...planned.warnings],
    whyNot,
    reports,
    [Symbol.asyncDispose]: () => planned[Symbol.asyncDispose](),
  };
}

function narrow(all: readonly string[] | undefined, one: string | undefined): readonly string[] | undefined {
  if (one === undefined || one === "") return all;
  if (all && !all.includes(one)) throw new Refused(404, `this console does not plan the integration ${one}`);
  return [one];
}

/**
 * A person who may not read the list of managed namespaces sees the plan of those that the data names, and cannot apply it: what
 * they create could not be found again.
 */
async function readableMemory(
  memory: NamespaceMemory | undefined,
  signal: AbortSignal,
): Promise<Pick<OwnPlan, "memory" | "whyNot">> {
  try {
    await memory?.read(signal);
    return { memory, whyNot: undefined };
  } catch (error) {
    if (!(error instanceof ApiError && error.isForbidden)) throw error;
    return {
      memory: undefined,
      whyNot: "you may not read the list of managed namespaces, which each apply keeps up to date",
    };
  }
}
