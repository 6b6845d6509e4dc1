import { CommandFailed, describeError, isRecord, systemClock } from "#base";
import { keyOf, type KubeClient, type KubeObject } from "#kube";
import type { Registries } from "#oci";
import {
  Component,
  currentCandidate,
  type ExpiringImage,
  findExpiry,
  judgePlan,
  planFactsReader,
  type PlanFacts,
  type PlanProblem,
  ReleasePlan,
} from "#promotion";
import { readNames } from "../couple/coupling-settings.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import { openShellRegistries } from "../image/shell-registries.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Column } from "../terminal/format-table.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";

export interface PromotionChecksChoice extends ClusterChoice {
  readonly namespaces?: string;
  readonly output: OutputFormat;
}

/** Those that need a person first. */
const states = ["problem", "unknown", "ok"] as const;

interface CheckedPlan {
  readonly state: (typeof states)[number];
  readonly namespace: string;
  readonly plan: string;
  readonly reason?: PlanProblem["reason"];
  readonly message?: string;
}

const colours: Readonly<Record<CheckedPlan["state"], Colour | undefined>> = {
  ok: undefined,
  problem: "red",
  unknown: "yellow",
};

const columns: readonly Column<CheckedPlan>[] = [
  { header: "state", value: ({ state }) => state, colour: ({ state }) => colours[state] },
  { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
  { header: "plan", value: ({ plan }) => plan, keep: "all" },
  { header: "reason", value: ({ reason }) => reason },
  {
    header: "what to do",
    value: ({ message }) => message,
    below: ({ message }) => (message === undefined ? [] : [message]),
  },
];

/** `tenon doctor --promotion`: what would make releases fail, seen with the rights of the user; fails if something would. */
export async function printPromotionChecks(choice: PromotionChecksChoice, shell: Shell): Promise<void> {
  const namespaces = choice.namespaces === undefined ? [undefined] : readNames(choice.namespaces);
  await using registries = await openShellRegistries({ plainHttp: [] }, shell);
  const rows = await withClient(choice, shell, async (client) => {
    await requireCoupledKinds(client, shell.signal, [ReleasePlan, Component]);
    const readFacts = planFactsReader(client, systemClock);
    const checked: CheckedPlan[] = [];
    for (const namespace of namespaces) {
      const { apiVersion, kind } = ReleasePlan;
      const { items } = await client.list({ apiVersion, kind, namespace }, shell.signal);
      for (const plan of items) {
        const facts = await readFacts(plan, shell.signal);
        checked.push(...(await checkPlan(plan, facts, client, registries, shell.signal)));
      }
    }
    return checked;
  });
  const sorted = rows.toSorted((one, other) => states.indexOf(one.state) - states.indexOf(other.state));
  await printRows({ rows: sorted, columns, whenEmpty: "no release plans" }, choice.output, shell);
  const count = new Set(
    rows.filter(({ state }) => state === "problem").map(({ namespace, plan }) => `${namespace}/${plan}`),
  ).size;
  if (count > 0) throw new CommandFailed(`${count} release plans cannot release`, { next: "see what to do above" });
}

async function checkPlan(
  plan: KubeObject,
  facts: PlanFacts,
  client: KubeClient,
  registries: Registries,
  signal: AbortSignal,
): Promise<CheckedPlan[]> {
  const { namespace = "", name } = plan.metadata;
  const { expiring, unread } = await readCandidates(plan, client, registries, signal);
  const { problems } = judgePlan(plan, { ...facts, expiring });
  const rows = [
    ...problems.map(
      ({ reason, message }): CheckedPlan => ({ state: "problem", namespace, plan: name, reason, message }),
    ),
    ...unread.map((message): CheckedPlan => ({ state: "unknown", namespace, plan: name, message })),
  ];
  return rows.length > 0 ? rows : [{ state: "ok", namespace, plan: name }];
}

/** Asks the registries about the images that would be released next, with the credentials of the user. */
async function readCandidates(
  plan: KubeObject,
  client: KubeClient,
  registries: Registries,
  signal: AbortSignal,
): Promise<{ readonly expiring: readonly ExpiringImage[]; readonly unread: readonly string[] }> {
  const application = isRecord(plan["spec"]) ? plan["spec"]["application"] : undefined;
  const { apiVersion, kind } = Component;
  const { items } = await client.list({ apiVersion, kind, namespace: plan.metadata.namespace }, signal);
  const expiring: ExpiringImage[] = [];
  const unread: string[] = [];
  for (const component of items.filter(({ spec }) => isRecord(spec) && spec["application"] === application)) {
    const { image } = currentCandidate(component);
    if (image === undefined) continue;
    try {
      const found = await findExpiry(image, registries, signal);
      if (found) expiring.push(found);
    } catch (error) {
      signal.throwIfAborted();
      unread.push(`cannot look at the image of ${keyOf(component)}: ${describeError(error)}`);
    }
  }
  return { expiring, unread };
}
