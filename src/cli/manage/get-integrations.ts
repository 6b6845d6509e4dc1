import { CommandFailed, compareText, describeError, systemClock, valueAt } from "#base";
import { type Notice, type PlannedRun, sumUpTrouble, troubleOf } from "#integrations";
import type { KubeObject } from "#kube";
import { type Action, type ObjectAddress, type ManagedObject, type Plan, type PlanRefusal, sumUp } from "#inventory";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { preparePlan, type PlanningChoice } from "./prepare-plan.ts";
import { printNotices } from "./print-plan.ts";

export interface GetIntegrationsChoice extends PlanningChoice {
  readonly output: OutputFormat;
}

/** One shard: the workload that runs it. */
interface ShardRow {
  readonly name: string;
  readonly kind: string;
  readonly desired: number;
  readonly running: number;
  /** What the live workload runs; absent if it is not deployed. */
  readonly image: string | undefined;
  /** Only if it is not that of the live workload. */
  readonly desiredImage?: string | undefined;
  readonly lastChange: string | undefined;
  readonly trouble: readonly string[];
}

/** One integration in one namespace. */
export interface IntegrationRow {
  readonly integration: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly environment: string;
  readonly desired: number;
  readonly running: number;
  readonly shards: readonly ShardRow[];
  /** Of all live shards; of several with the same repository, the second has only its tag. */
  readonly image: string | undefined;
  readonly lastChange: string | undefined;
  /** Why nothing of it changes, if it is suspended. */
  readonly suspended?: string | undefined;
  readonly trouble: readonly string[];
}

const workloads: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "CronJob"]);

/** `tenon get integrations`: prints what should run and what does, with what has problems first. */
export async function getIntegrations(
  names: readonly string[],
  choice: GetIntegrationsChoice,
  shell: Shell,
): Promise<void> {
  // As other commands name one.
  const integration = [...names.map((name) => name.replace(/^integration\//, "")), ...choice.integration];
  const { rows, plan, warnings } = await surveyIntegrations({ ...choice, integration }, shell);
  printNotices(warnings, shell);
  const columns = columnsAt(systemClock.now());
  await printRows({ rows, columns, whenEmpty: "no integrations" }, choice.output, shell);
  if (plan.errors.length === 0) return;
  throw new CommandFailed(`the list is incomplete: ${sumUp({ ...plan, actions: [], refusals: [], unchanged: 0 })}`, {
    next: "`tenon plan` shows the errors",
  });
}

/** What should run, what does, and why the rest does not. */
export async function surveyIntegrations(
  choice: PlanningChoice,
  shell: Shell,
): Promise<{ readonly rows: readonly IntegrationRow[]; readonly plan: Plan; readonly warnings: readonly Notice[] }> {
  await using prepared = await preparePlan(choice, shell);
  const { pods, unread } = await readPods(prepared.planned, shell.signal);
  const { plan } = prepared.planned;
  return { rows: rowsOf(prepared.planned, pods), plan, warnings: [...prepared.warnings, ...unread] };
}

/** By `cluster/namespace`. */
type Pods = ReadonlyMap<string, readonly KubeObject[]>;

/** The pods of namespaces where something is not ready or runs on a schedule: they say why. Without the right to, it is a warning. */
async function readPods(
  { clusters, inventory }: PlannedRun,
  signal: AbortSignal,
): Promise<{ readonly pods: Pods; readonly unread: readonly Notice[] }> {
  const wanted = new Map<string, { readonly cluster: string; readonly namespace: string }>();
  for (const { cluster, namespace, current } of inventory) {
    const isWorthReading = [...current.values()].some(
      ({ kind, body }) => workloads.has(kind) && (kind === "CronJob" || troubleOf(kind, body).length > 0),
    );
    if (isWorthReading) wanted.set(`${cluster}/${namespace}`, { cluster, namespace });
  }
  const unread: Notice[] = [];
  const read = [...wanted].map(async ([where, { cluster, namespace }]): Promise<[string, readonly KubeObject[]]> => {
    try {
      const pods = await clusters.get(cluster)?.list({ apiVersion: "v1", kind: "Pod", namespace }, signal);
      return [where, pods?.items ?? []];
    } catch (error) {
      signal.throwIfAborted();
      const what = `cannot read the pods, which say why something is not ready: ${describeError(error)}`;
      unread.push({ where, what });
      return [where, []];
    }
  });
  return { pods: new Map(await Promise.all(read)), unread };
}

/** Live objects, planned actions, refusals and pods. */
interface Found {
  readonly pods: Pods;
  readonly live: ReadonlyMap<string, ManagedObject>;
  readonly actions: ReadonlyMap<string, Action>;
  readonly refusals: ReadonlyMap<string, PlanRefusal>;
}

function rowsOf(planned: PlannedRun, pods: Pods): IntegrationRow[] {
  const { inventory, plan, desired } = planned;
  const live = [...inventory].flatMap(({ cluster, namespace, current }) =>
    [...current.values()].map(
      (each) => [objectKey({ cluster, namespace, kind: each.kind, name: each.name }), each] as const,
    ),
  );
  const found: Found = {
    pods,
    live: new Map(live),
    actions: new Map(plan.actions.map((action) => [objectKey(action), action])),
    refusals: new Map(plan.refusals.map((refusal) => [objectKey(refusal), refusal])),
  };
  // Without the clusters that were left out: their state is unknown.
  const surveyed = new Set(planned.namespaces.map(({ cluster, namespace }) => `${cluster.name}/${namespace}`));
  const groups = desired.groups.filter(({ namespace }) => surveyed.has(`${namespace.cluster.name}/${namespace.name}`));
  const rows = groups.flatMap(({ namespace: { name: namespace, cluster, environment }, resources }) => {
    const target = { cluster: cluster.name, namespace };
    const byIntegration = Map.groupBy(resources, ({ attribution }) => attribution ?? "");
    return [...byIntegration].flatMap(([integration, all]): IntegrationRow[] => {
      if (integration === "") return [];
      const shards = all.filter(({ kind }) => workloads.has(kind)).map((each) => shardOf(each, target, found));
      const suspended = suspensionOf(integration, target, planned);
      const trouble = [
        ...suspended.map((reason) => `suspended: ${reason}`),
        ...errorsOf(integration, target, planned),
        ...sumUpTrouble(shards),
      ];
      return [
        {
          integration,
          ...target,
          environment: environment.name,
          desired: sum(shards.map((shard) => shard.desired)),
          running: sum(shards.map(({ running }) => running)),
          shards,
          image: joinImages(shards.flatMap(({ image }) => image ?? [])),
          lastChange:
            shards
              .map(({ lastChange = "" }) => lastChange)
              .toSorted()
              .at(-1) || undefined,
          suspended: suspended[0],
          trouble: [...new Set(trouble)],
        },
      ];
    });
  });
  return [...rows, ...failedRows(rows, planned)].toSorted(
    (one, other) => Number(isFine(one)) - Number(isFine(other)) || compareText(keyOf(one), keyOf(other)),
  );
}

function suspensionOf(integration: string, { cluster, namespace }: Target, { suspended }: PlannedRun): string[] {
  return suspended.integrations
    .filter((one) => one.integration === integration && one.cluster === cluster && one.namespace === namespace)
    .map(({ reason }) => reason);
}

type Target = Pick<IntegrationRow, "cluster" | "namespace">;

function objectKey({ cluster, namespace, kind, name }: Omit<ObjectAddress, "apiVersion">): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}

function shardOf(desired: ManagedObject, target: Target, found: Found): ShardRow {
  const { kind, name } = desired;
  const key = objectKey({ ...target, kind, name });
  const [live, action, refusal] = [found.live.get(key), found.actions.get(key), found.refusals.get(key)];
  const pods = found.pods.get(`${target.cluster}/${target.namespace}`);
  const [image, desiredImage] = [live && imageOf(live), imageOf(desired)];
  return {
    name,
    kind,
    desired: kind === "CronJob" ? 0 : numberAt(desired, ["spec", "replicas"], 1),
    running: live ? runningOf(kind, live) : 0,
    image,
    ...(image === desiredImage ? {} : { desiredImage }),
    lastChange: live?.annotation("qontract.update"),
    trouble: [
      ...(refusal ? [refusal.reason] : []),
      ...(action ? [live ? `out of date: ${action.reason}` : "not deployed"] : []),
      ...(live ? troubleOf(kind, live.body, pods) : []),
    ],
  };
}

/** For a CronJob, its active runs. */
function runningOf(kind: string, live: ManagedObject): number {
  if (kind !== "CronJob") return numberAt(live, ["status", "readyReplicas"], 0);
  const active = valueAt(live.body, ["status", "active"]);
  return Array.isArray(active) ? active.length : 0;
}

function imageOf({ body }: ManagedObject): string | undefined {
  const template = valueAt(body, ["spec", "jobTemplate", "spec", "template"]) ?? valueAt(body, ["spec", "template"]);
  const image = valueAt(template, ["spec", "containers", 0, "image"]);
  return typeof image === "string" ? image : undefined;
}

/** Integrations that failed to render have no objects; they get a row nevertheless. */
function failedRows(rows: readonly IntegrationRow[], { desired }: PlannedRun): IntegrationRow[] {
  const shown = new Set(rows.map(({ integration }) => integration));
  const failed = Map.groupBy(desired.errors, ({ integration }) => integration);
  return [...failed]
    .filter(([integration]) => !shown.has(integration))
    .map(([integration, errors]) => ({
      integration,
      cluster: "",
      namespace: "",
      environment: "",
      desired: 0,
      running: 0,
      shards: [],
      image: undefined,
      lastChange: undefined,
      trouble: errors.map(({ where, what }) => (where === undefined ? what : `${where}: ${what}`)),
    }));
}

function errorsOf(integration: string, target: Target, { plan }: PlannedRun): string[] {
  return plan.errors
    .filter(({ attribution, cluster, namespace }) => {
      const isHere =
        (cluster ?? target.cluster) === target.cluster && (namespace ?? target.namespace) === target.namespace;
      return isHere && (attribution ?? integration) === integration;
    })
    .map(({ what }) => what);
}

function numberAt({ body }: ManagedObject, path: readonly string[], fallback: number): number {
  const value = valueAt(body, path);
  return value === undefined ? fallback : Number(value);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Like `quay.io/team/tool:v1, v2`: mostly only their tags differ. */
export function joinImages(images: readonly string[]): string | undefined {
  const repositories = Map.groupBy(new Set(images), (image) => image.replace(/[:@][^/]*$/, ""));
  const parts = [...repositories].map(([repository, [first = "", ...others]]) =>
    [first, ...others.map((image) => image.slice(repository.length + 1) || image)].join(", "),
  );
  return parts.join(", ") || undefined;
}

function isFine({ trouble }: IntegrationRow): boolean {
  return trouble.length === 0;
}

function keyOf({ integration, cluster, namespace }: IntegrationRow): string {
  return JSON.stringify([integration, cluster, namespace]);
}

function columnsAt(now: number): Column<IntegrationRow>[] {
  return [
    { header: "integration", value: ({ integration }) => integration, keep: "all" },
    { header: "where", value: ({ cluster, namespace }) => cluster && `${cluster}/${namespace}`, keep: "all" },
    {
      header: "ready",
      value: ({ running, desired }) => `${running}/${desired}`,
      colour: ({ running, desired }) => (running < desired ? "yellow" : undefined),
    },
    { header: "shards", value: ({ shards }) => shards.length, isDispensable: true },
    { header: "image", value: ({ image }) => image, keep: "end" },
    { header: "changed", value: ({ lastChange }) => describeAge(lastChange, now) },
    {
      header: "trouble",
      value: ({ trouble }) => trouble.join("; "),
      colour: (row) => (isFine(row) ? undefined : "red"),
      below: ({ trouble }) => trouble,
    },
  ];
}
