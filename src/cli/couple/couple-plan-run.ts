import { describeError, InputError } from "#base";
import { type CouplingPlan, type Plug, planCoupling } from "#coupling";
import { ApiError, type KubeClient, keyOf } from "#kube";
import type { ClusterChoice } from "../cluster-options.ts";
import type { OutputFormat } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { printValue } from "../terminal/print.ts";
import { readState } from "./coupled-state.ts";
import { FutureCluster } from "./future-cluster.ts";
import { printPlans } from "./print-plans.ts";
import { type Manifest, readManifests } from "./read-manifests.ts";
import { sideReaders } from "./side-readers.ts";
import { requireKinds, withClient } from "./with-client.ts";

export interface PlanChoice extends ClusterChoice {
  readonly file: string;
  readonly namespace?: string;
  readonly allowClusterScoped: boolean;
  readonly output: OutputFormat;
}

/** Prints what applying the file would lead to. Fails if a plug would not couple because of a mistake. */
export async function runPlan(choice: PlanChoice, shell: Shell): Promise<void> {
  const plans = await withClient(choice, shell, async (client, ownNamespace) => {
    const manifests = await readManifests(choice.file, choice.namespace ?? ownNamespace, shell);
    await requireKinds(client, shell.signal);
    return await planManifests(manifests, choice, client, shell.signal);
  });
  if (choice.output === "json" || choice.output === "yaml") await printValue(plans, choice.output, shell);
  else await printPlans(plans, choice.output, shell);
  const failing = plans.filter(({ refusal, problems }) => problems.length > 0 || (refusal && isMistake(refusal)));
  if (failing.length === 0) return;
  throw new InputError(
    `${failing.length} of ${plans.length} ${plans.length === 1 ? "plug" : "plugs"} would not couple`,
    {
      next: "correct what stands beside each, and plan again",
    },
  );
}

/** The others pass by themselves. */
function isMistake({ reason }: NonNullable<CouplingPlan["refusal"]>): boolean {
  return reason === "NamespaceNotAllowed" || reason === "InterfaceMismatch";
}

async function planManifests(
  manifests: readonly Manifest[],
  { allowClusterScoped }: PlanChoice,
  client: KubeClient,
  signal: AbortSignal,
): Promise<CouplingPlan[]> {
  const future = new FutureCluster(manifests, client, signal);
  const plugs = await future.concernedPlugs();
  if (plugs.length === 0) {
    throw new InputError("no plug is concerned", {
      next: "give a file with a Plug, or with a Socket that plugs ask for",
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

/** What one side may not read is its own problem, and not that of the other plugs. */
function asProblem(error: unknown, plug: Plug, socket: string): CouplingPlan {
  if (!(error instanceof ApiError && error.isForbidden)) throw error;
  return { plug: keyOf(plug), socket, problems: [describeError(error)], maps: [], actions: [] };
}

function withoutSocket(plug: Plug): CouplingPlan {
  const { leaves, target = "" } = readState(plug);
  const message = target === "" ? "the plug asks for no socket" : `Socket ${target} does not exist yet`;
  const refusal = { reason: "SocketNotCreated", message } as const;
  const names = { plug: keyOf(plug), socket: target, ...(leaves === undefined ? {} : { leaves }) };
  return { ...names, refusal, problems: [], maps: [], actions: [] };
}
