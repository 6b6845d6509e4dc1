import { isDeepStrictEqual } from "node:util";
import { CommandFailed, InputError, isRecord, systemClock, valueAt } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject, refOf } from "#kube";
import { findStage, planRollback, Propagation, type RollbackPlan, shortDigest } from "#promotion";
import { preconditions, writeConditionally } from "#runtime";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { describeAge } from "../terminal/describe-age.ts";
import { safeText } from "../terminal/visible-text.ts";
import { findPropagation } from "./get-propagations.ts";

export interface RollbackStageChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly stage?: string;
  readonly undo: boolean;
  readonly yes: boolean;
}

/** `tenon promote rollback`: writes into the Propagation, as the user, what its controller then proposes. */
export async function rollbackStage(name: string, choice: RollbackStageChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Propagation]);
    const object = await findPropagation(client, name, choice.namespace ?? ownNamespace, shell.signal);
    await (choice.undo ? endRollback : beginRollback)(object, choice, client, shell);
  });
}

async function beginRollback(
  object: KubeObject,
  choice: RollbackStageChoice,
  client: KubeClient,
  shell: Shell,
): Promise<void> {
  const plan = planRollback(Propagation.parse(object), choice.stage);
  for (const line of describePlan(plan, object)) shell.stdout.write(`${safeText(line)}\n`);
  const stage = plan.stage.name;
  if (plan.isAsked) {
    shell.stdout.write(`stage ${stage} goes back to them already; ${whereToLook(object)}\n`);
    return;
  }
  await ask(`propose this to stage ${stage}?`, choice, shell);
  const at = new Date(systemClock.now()).toISOString();
  await writeRollback(object, stage, { at, images: plan.rollback }, client, shell.signal, (current) =>
    isDeepStrictEqual(planRollback(Propagation.parse(current), stage).rollback, plan.rollback),
  );
  shell.stdout.write(`stage ${stage} goes back; ${whereToLook(object)}\n`);
}

async function endRollback(
  object: KubeObject,
  choice: RollbackStageChoice,
  client: KubeClient,
  shell: Shell,
): Promise<void> {
  const { name: stage, rollback } = findStage(Propagation.parse(object), choice.stage);
  if (!rollback) {
    shell.stdout.write(`stage ${stage} is not rolled back\n`);
    return;
  }
  for (const { image, from, to } of rollback.images) {
    shell.stdout.write(`  ${safeText(image)}: ${shortDigest(to)} no longer instead of ${shortDigest(from)}\n`);
  }
  await ask(`propose to stage ${stage} what is released?`, choice, shell);
  await writeRollback(object, stage, undefined, client, shell.signal, () => true);
  shell.stdout.write(`stage ${stage} goes on; ${whereToLook(object)}\n`);
}

function describePlan({ stage, images, replaces }: RollbackPlan, object: KubeObject): string[] {
  const now = systemClock.now();
  const left = images.map(({ from }) => shortDigest(from));
  const undo = `tenon promote rollback ${keyOf(object)} --stage ${stage.name} --undo`;
  return [
    `${stage.name}: ${stage.repository}, branch ${stage.branch}`,
    ...images.map(
      ({ component, merged, to, since }) =>
        `  ${component}: ${shortDigest(merged)} -> ${shortDigest(to)}, there since ${describeAge(since, now)} ago`,
    ),
    ...replaces.map((number) => `  pull request ${number} will propose this instead`),
    `  ${[...new Set(left)].join(", ")} comes back with a newer release, or by: ${undo}`,
    ...(valueAt(object, ["spec", "suspend"]) === undefined ? [] : ["  suspended: nothing is proposed until it ends"]),
  ];
}

async function ask(question: string, { yes }: RollbackStageChoice, shell: Shell): Promise<void> {
  if (yes || (await confirm(question, shell, shell.signal))) return;
  throw new InputError("nothing was changed", { next: "answer yes, or use --yes" });
}

function whereToLook(object: KubeObject): string {
  return `\`tenon explain propagation/${keyOf(object)}\` shows how far it is`;
}

/** Writes the stages with this rollback, unless `isStillRight` says that the object has changed in what was shown. */
async function writeRollback(
  object: KubeObject,
  stage: string,
  rollback: unknown,
  client: KubeClient,
  signal: AbortSignal,
  isStillRight: (current: KubeObject) => boolean,
): Promise<void> {
  const written = await writeConditionally(
    object,
    client,
    (current) => {
      if (!isStillRight(current)) {
        throw new CommandFailed("the Propagation has changed since the plan was shown", { next: "run it again" });
      }
      const stages = valueAt(current, ["spec", "stages"]);
      const body = {
        metadata: preconditions(current),
        spec: { stages: (Array.isArray(stages) ? stages : []).map((each) => withRollback(each, stage, rollback)) },
      };
      return client.patch(refOf(current), { type: "merge", body, fieldManager: "tenon" }, signal);
    },
    signal,
  );
  if (!written) throw new CommandFailed(`${describeRef(refOf(object))} was deleted`);
}

function withRollback(given: unknown, stage: string, rollback: unknown): unknown {
  if (!isRecord(given) || given["name"] !== stage) return given;
  const { rollback: _, ...rest } = given;
  return rollback === undefined ? rest : { ...rest, rollback };
}
