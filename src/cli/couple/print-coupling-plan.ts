import { describeError, InputError } from "#base";
import {
  type CouplingPlan,
  planCoupling,
  type PlannedAction,
  type PlannedCall,
  type PlannedMount,
  type Plug,
  readCoupledState,
  sideReaders,
} from "#coupling";
import { ApiError, keyOf, type KubeClient } from "#kube";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";
import { FutureCluster } from "./future-cluster.ts";
import { type ManifestObject, readManifests } from "./read-manifests.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";
import { type Colour, paint } from "../terminal/paint.ts";
import { lineLimit, wrapText } from "../terminal/text-width.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface CouplingPlanChoice extends ClusterChoice {
  readonly file: string;
  readonly namespace?: string;
  readonly allowClusterScoped: boolean;
  readonly output: OutputFormat;
}

/** `tenon couple plan`: prints what applying the file would do. Fails if a plug would not couple because of an error. */
export async function printCouplingPlan(choice: CouplingPlanChoice, shell: Shell): Promise<void> {
  const plans = await withClient(choice, shell, async (client, ownNamespace) => {
    const manifests = await readManifests(choice.file, choice.namespace ?? ownNamespace, shell);
    await requireCoupledKinds(client, shell.signal);
    return await planManifests(manifests, choice, client, shell.signal);
  });
  if (choice.output === "json" || choice.output === "yaml") await printDocument(plans, choice.output, shell);
  else await printPlans(plans, choice.output, shell);
  const failing = plans.filter(({ refusal, problems }) => problems.length > 0 || (refusal && isUserError(refusal)));
  if (failing.length === 0) return;
  throw new InputError(
    `${failing.length} of ${plans.length} ${plans.length === 1 ? "plug" : "plugs"} would not couple`,
    {
      next: "fix the errors above, then plan again",
    },
  );
}

/** Other refusals resolve themselves. */
function isUserError({ reason }: NonNullable<CouplingPlan["refusal"]>): boolean {
  return reason === "NamespaceNotAllowed" || reason === "InterfaceMismatch";
}

async function planManifests(
  manifests: readonly ManifestObject[],
  { allowClusterScoped }: CouplingPlanChoice,
  client: KubeClient,
  signal: AbortSignal,
): Promise<CouplingPlan[]> {
  const future = new FutureCluster(manifests, client, signal);
  const plugs = await future.affectedPlugs();
  if (plugs.length === 0) {
    throw new InputError("the file affects no plugs", {
      next: "use a file with a Plug, or with a Socket that plugs name",
    });
  }
  const plans: CouplingPlan[] = [];
  const admitted = new Map<string, number>();
  for (const plug of plugs) {
    const socket = await future.socketOf(plug);
    if (!socket) {
      plans.push(withoutSocket(plug));
      continue;
    }
    const key = keyOf(socket);
    const others = socket.status?.coupledPlugs?.filter(({ uid }) => uid !== plug.metadata.uid).length ?? 0;
    const deps = {
      discovery: client.discovery,
      reader: sideReaders({ plug, socket }, client, future.given),
      namespaceLabels: await future.labelsFor(plug, socket),
      otherPlugs: others + (admitted.get(key) ?? 0),
      allowClusterScoped,
    };
    const plan = await planCoupling(plug, socket, deps, signal).catch((error: unknown) => asProblem(error, plug, key));
    if (plan.stage === "coupled") admitted.set(key, (admitted.get(key) ?? 0) + 1);
    plans.push(plan);
  }
  return plans;
}

/** If one side may not read something, only its own plug fails. */
function asProblem(error: unknown, plug: Plug, socket: string): CouplingPlan {
  if (!(error instanceof ApiError && error.isForbidden)) throw error;
  return { plug: keyOf(plug), socket, problems: [describeError(error)], maps: [], actions: [] };
}

function withoutSocket(plug: Plug): CouplingPlan {
  const { leaves, target = "" } = readCoupledState(plug);
  const message = target === "" ? "the plug names no socket" : `Socket ${target} does not exist yet`;
  const refusal = { reason: "SocketNotCreated", message } as const;
  const names = { plug: keyOf(plug), socket: target, ...(leaves === undefined ? {} : { leaves }) };
  return { ...names, refusal, problems: [], maps: [], actions: [] };
}

interface ValueRow {
  readonly map: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

const colours: Readonly<Record<PlannedAction["do"], Colour>> = {
  apply: "green",
  recreate: "yellow",
  delete: "red",
  remove: "red",
};

/** For each plug: the outcome, the actions in their order, and each value with its source. */
async function printPlans(plans: readonly CouplingPlan[], format: "table" | "markdown", shell: Shell): Promise<void> {
  for (const [index, plan] of plans.entries()) {
    const title = safeText(`Plug ${plan.plug}: ${outcomeOf(plan)}`);
    const isGood = plan.stage !== undefined;
    const wrap = (text: string): string => wrapText(text, lineLimit(shell.stdout), "  ");
    shell.stdout.write(index === 0 ? "" : "\n");
    if (format === "markdown") shell.stdout.write(`### ${title.replaceAll(/[\\`*_[\]<>]/g, "\\$&")}\n\n`);
    else
      shell.stdout.write(`${paint(isGood ? "green" : "yellow", wrap(title).trimStart(), shell.stdout, shell.env)}\n`);
    for (const remark of [...plan.problems, ...(plan.warnings ?? []).map((warning) => `warning: ${warning}`)]) {
      shell.stdout.write(`${format === "markdown" ? `- ${safeText(remark)}` : wrap(safeText(remark))}\n`);
    }
    if (plan.actions.length > 0) {
      await printRows({ rows: plan.actions, columns: actionColumns, whenEmpty: "" }, format, shell);
    }
    if (plan.mount)
      shell.stdout.write(`${format === "markdown" ? "\n" : "  "}${safeText(describeMount(plan.mount))}\n`);
    const { calls = [] } = plan;
    if (calls.length > 0) {
      shell.stdout.write("\n");
      await printRows({ rows: calls, columns: callColumns, whenEmpty: "" }, format, shell);
    }
    const values = valuesOf(plan);
    if (values.length === 0) continue;
    shell.stdout.write("\n");
    await printRows({ rows: values, columns: valueColumns, whenEmpty: "" }, format, shell);
  }
}

function outcomeOf({ stage, takesOver, socket, leaves, refusal, problems, open, actions }: CouplingPlan): string {
  const leaving = leaves === undefined ? "" : `would leave Socket ${leaves}, and `;
  if (refusal) return `${leaving}would wait: ${refusal.message}`;
  if (problems.length > 0) return `${leaving}would not couple to Socket ${socket}`;
  const verb = takesOver
    ? "would stay coupled, be taken over from integration-operator, and be updated once on"
    : stage === "updated"
      ? "would be up to date, or updated, on"
      : "would be coupled to";
  const nothing = actions.length === 0 ? "; no objects would be created" : "";
  const waits = open === undefined ? "" : `; known only after coupling: ${open}`;
  return `${leaving}${verb} Socket ${socket}${nothing}${waits}`;
}

function describeMount({ kind, namespace, name, path, exists }: PlannedMount): string {
  const restart = kind === "CronJob" ? "" : ", and its pods would restart if the binding is new or changed";
  const absent = exists === false ? " as soon as it exists" : "";
  return `the binding would be mounted in ${kind} ${namespace}/${name} at ${path}${absent}${restart}`;
}

/** `apply, repair, wait`. */
function describeAction(action: PlannedAction): string {
  return [action.do, ...(action.repair ? ["repair"] : []), ...(action.waitFor === undefined ? [] : ["wait"])].join(
    ", ",
  );
}

const actionColumns = [
  { header: "stage", value: ({ stage }: PlannedAction) => stage },
  { header: "side", value: ({ side }: PlannedAction) => side, below: () => [] },
  { header: "action", value: describeAction, colour: (row: PlannedAction) => colours[row.do] },
  { header: "kind", value: ({ kind }: PlannedAction) => kind },
  {
    header: "object",
    value: ({ namespace, name }: PlannedAction) => (namespace === undefined ? name : `${namespace}/${name}`),
    keep: "all" as const,
  },
  {
    header: "field",
    value: ({ field }: PlannedAction) => field,
    below: ({ side, field }: PlannedAction) => [`${side}: ${field}`],
  },
];

const callColumns = [
  { header: "stage", value: ({ event }: PlannedCall) => event, keep: "all" as const },
  { header: "side", value: ({ side }: PlannedCall) => side, keep: "all" as const },
  {
    header: "call",
    value: ({ url }: PlannedCall) => `POST ${url}`,
    below: ({ url }: PlannedCall) => [`POST ${url}`],
  },
  { header: "starts a pod", value: ({ startsPod }: PlannedCall) => (startsPod ? "if none runs" : "no") },
];

const valueColumns = (["map", "key", "value", "source"] as const).map((header) => {
  const keep = header === "value" ? ("start" as const) : ("all" as const);
  return { header, value: (row: ValueRow) => row[header], keep };
});

function valuesOf({ maps }: CouplingPlan): ValueRow[] {
  return maps.flatMap(({ name, keys, dropped }) => [
    ...keys.map(({ key, value, source }) => ({ map: name, key, value, source })),
    ...dropped.map(({ key, source }) => ({ map: name, key, value: "(dropped: not in the interface)", source })),
  ]);
}
