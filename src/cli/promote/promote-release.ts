import { randomBytes } from "node:crypto";
import { CommandFailed, InputError, isRecord, systemClock } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject, type NewObject } from "#kube";
import {
  authorLabelOf,
  judgePlan,
  planFactsReader,
  type PlanProblem,
  promotionLabels,
  readSnapshot,
  readSnapshotState,
  Release,
  ReleasePlan,
  Snapshot,
  viewRelease,
} from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText } from "../terminal/visible-text.ts";
import { shortImage } from "./short-image.ts";

export interface PromoteReleaseChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly plan: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** `tenon promote release`: a Release of a Snapshot by a plan, for which the user answers. */
export async function promoteRelease(snapshotName: string, choice: PromoteReleaseChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Snapshot, ReleasePlan, Release]);
    const { namespace, name } = parseObjectKey(snapshotName, choice.namespace ?? ownNamespace);
    const snapshot = await findOrRefuse(Snapshot, namespace, name, client, shell.signal);
    const plan = await findOrRefuse(ReleasePlan, namespace, choice.plan, client, shell.signal);
    const { user } = await client.whoAmI(shell.signal);
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    for (const line of describeRequest(snapshot, plan, user)) say(line);
    for (const earlier of await findEarlier(namespace, name, choice.plan, client, shell.signal)) {
      const { release, state } = viewRelease(earlier);
      say(`  there is a Release of the same already: ${release}, ${state}`);
    }
    const problems = await findProblems(snapshot, plan, client, shell.signal);
    for (const problem of problems) say(`  ! ${problem}`);
    const release = releaseOf(snapshot, plan, user);
    if (problems.length > 0) {
      throw new CommandFailed("this Release would fail", { next: "correct what is listed above, then run it again" });
    }
    // The API server says now what it would refuse later.
    await client.create(release, { dryRun: true }, shell.signal);
    if (choice.dryRun) return;
    if (!choice.yes && !(await confirm("release this?", shell, shell.signal))) {
      throw new InputError("nothing was released", { next: "answer yes, or use --yes" });
    }
    const key = keyOf(await client.create(release, {}, shell.signal));
    say(`Release ${key} created`);
    say(`next: tenon explain release/${key}`);
  });
}

async function findOrRefuse(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  namespace: string,
  name: string,
  client: KubeClient,
  signal: AbortSignal,
): Promise<KubeObject> {
  const ref = { apiVersion, kind, namespace, name };
  const found = await client.find(ref, signal);
  if (found) return found;
  const next = `\`tenon get ${kind.toLowerCase()}s -n ${namespace}\` lists those of the namespace`;
  throw new InputError(`${describeRef(ref)} not found`, { next });
}

function describeRequest(snapshot: KubeObject, plan: KubeObject, user: string): string[] {
  const { state, message } = readSnapshotState(snapshot);
  const { components } = isRecord(snapshot["spec"]) ? snapshot["spec"] : {};
  const rows = Array.isArray(components) ? components.filter(isRecord) : [];
  const { target } = isRecord(plan["spec"]) ? plan["spec"] : {};
  const where = typeof target === "string" && target !== "" ? `, into namespace ${target}` : "";
  return [
    `a Release of ${keyOf(snapshot)} by plan ${plan.metadata.name}${where}, for which ${user} answers:`,
    ...rows.map(({ name, containerImage }) => `  ${String(name)}: ${shortImage(String(containerImage))}`),
    `  its tests: ${state}${state === "Passed" || message === undefined ? "" : `, ${message}`}`,
  ];
}

async function findEarlier(
  namespace: string,
  snapshot: string,
  plan: string,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { apiVersion, kind } = Release;
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  return items.filter(({ spec }) => isRecord(spec) && spec["snapshot"] === snapshot && spec["releasePlan"] === plan);
}

/** What keeps a plan from releasing by itself: here the user answers for the Release, and chooses its Snapshot. */
const ofAutomation: ReadonlySet<PlanProblem["reason"]> = new Set(["NoAuthor", "InvalidExpression"]);

async function findProblems(
  snapshot: KubeObject,
  plan: KubeObject,
  client: KubeClient,
  signal: AbortSignal,
): Promise<string[]> {
  const { owner } = readSnapshot(snapshot);
  const { owner: planned } = readSnapshot(plan);
  const { problems } = judgePlan(plan, await planFactsReader(client, systemClock)(plan, signal));
  return [
    ...(owner && planned && owner.kind === planned.kind && owner.name === planned.name
      ? []
      : [
          `the Snapshot is of ${owner?.name ?? "no Application"}, and the plan of ${planned?.name ?? "no Application"}: they must be of the same`,
        ]),
    ...problems.filter(({ reason }) => !ofAutomation.has(reason)).map(({ message }) => message),
  ];
}

const longestBase = 54;

function releaseOf(snapshot: KubeObject, plan: KubeObject, user: string): NewObject {
  const { apiVersion, kind } = Release;
  const { name, namespace } = snapshot.metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name: `${name.slice(0, longestBase).replace(/[-.]+$/, "")}-${randomBytes(4).toString("hex")}`,
      ...(namespace === undefined ? {} : { namespace }),
      // Admission fills them in where it can.
      labels: {
        [promotionLabels.author]: authorLabelOf(user),
        [promotionLabels.releasedSnapshot]: name,
        [promotionLabels.releasePlan]: plan.metadata.name,
      },
    },
    spec: { snapshot: name, releasePlan: plan.metadata.name },
  };
}
