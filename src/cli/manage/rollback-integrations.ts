import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { CommandFailed, InputError, systemClock } from "#base";
import { isServerAddress } from "#bundle";
import { parseGitLocation } from "#git";
import type { Plan } from "#inventory";
import {
  type AppliedPlan,
  annotateObjects,
  applyPlan,
  changedSince,
  differentNow,
  type DesiredOptions,
  type HistoryEntry,
  type Notice,
  objectsToSuspend,
  withSuspension,
} from "#integrations";
import { withInstance } from "../cluster/name-cluster.ts";
import { openHomeCluster } from "../control/home-cluster.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText } from "../terminal/visible-text.ts";
import { type ApplyChoice, printOutcomes } from "./apply-integrations.ts";
import { type PreparedPlan, preparePlan } from "./prepare-plan.ts";
import { findEntry, requireHistory, revisionOf } from "./print-history.ts";
import { printNotices, printPlan } from "./print-plan.ts";
import { refKey, whoRuns } from "./run-reports.ts";

export interface RollbackChoice extends ApplyChoice {
  readonly suspend: boolean;
}

/** `tenon rollback ENTRY`: applies the data of an earlier entry of the history again. */
export async function rollbackIntegrations(given: string, options: RollbackChoice, shell: Shell): Promise<void> {
  const config = await readTenonConfig(options.config);
  const choice = await withInstance(options, config, shell);
  await using opened = new AsyncDisposableStack();
  const history = await requireHistory(choice, config, shell, () =>
    openHomeCluster(choice, config, shell).then((home) => opened.use(home)),
  );
  const entries = await history.read(shell.signal);
  const target = findEntry(entries, given);
  const names = choice.integration.length > 0 ? choice.integration : changedSince(entries, target);
  if (names.length === 0) {
    throw new InputError(`no integration was changed after entry ${given}`, {
      next: "`tenon history` lists the entries",
    });
  }
  const data = dataOf(target, choice.data ?? config.data ?? target.source.location);
  const prepare = (): Promise<PreparedPlan> =>
    preparePlan({ ...choice, data, integration: names }, shell, {
      adjust: (desire) => ({ ...desire, formerIntegrations: names, resolveRef: refsOf(target, desire) }),
      plan: { ignoresSuspension: true },
      rollbackTo: target.id,
    });
  await using shown = await prepare();
  const { planned } = shown;
  const { plan } = planned;
  const different = differentNow(entries, target, planned.inventory);
  printNotices([...shown.warnings, ...different.map(describeDifferent)], shell);
  const stdout = choice.output === "table" ? shell.stdout : shell.stderr;
  await printPlan(plan, "table", { stdout, env: shell.env });
  const isChanging = plan.actions.length > 0 && !choice.dryRun;
  if (isChanging && !choice.yes) {
    const suspending = choice.suspend ? " and suspend them" : "";
    const question = `roll ${names.join(", ")} back to entry ${target.id} (${revisionOf(target)})${suspending}?`;
    if (!(await confirm(question, shell, shell.signal))) {
      throw new InputError("nothing was changed", { next: "answer yes, or use --yes" });
    }
  }
  if (!isChanging || !choice.suspend) {
    const applied = await applyPrepared(shown, plan, choice, shell);
    if (isChanging) sayWhatIsNext(names, planned.desired.declared, false, shell);
    await printOutcomes(applied, plan, choice, shell);
    return;
  }
  const reason = `rolled back to entry ${target.id} (${revisionOf(target)}) by ${whoRuns(shell.env)}`;
  // Before the first write: a running manager sees each of them, and would change it back.
  const objects = objectsToSuspend(planned, ({ integration }) => names.includes(integration));
  await annotateObjects(objects, reason, planned.clusters, shell.signal);
  sayWhatIsNext(names, planned.desired.declared, true, shell);
  // An annotation is a change, for which the plan is stale.
  await using again = await prepare();
  if (!isDeepStrictEqual(essenceOf(again.planned.plan), essenceOf(plan))) {
    throw new CommandFailed("something else has changed since the plan was shown", { next: "run the rollback again" });
  }
  const applied = await applyPrepared(again, withSuspension(again.planned.plan, reason), choice, shell);
  await printOutcomes(applied, plan, choice, shell);
}

/** What a plan does, without the versions of the objects it was made from. */
function essenceOf({ actions }: Plan): unknown {
  return actions.map(({ cluster, namespace, kind, name, action, sha256, diff }) => {
    return { cluster, namespace, kind, name, action, sha256, diff };
  });
}

async function applyPrepared(
  { planned, memory, committedAt, reports, data }: PreparedPlan,
  plan: Plan,
  { dryRun }: RollbackChoice,
  { signal }: Shell,
): Promise<AppliedPlan> {
  await reports.open();
  const start = systemClock.monotonic();
  const applied = await applyPlan({ ...planned, plan }, { dryRun, memory, committedAt }, signal);
  const seconds = (systemClock.monotonic() - start) / 1000;
  const run = { why: "rollback", ...applied, isDryRun: dryRun, seconds, plan, inventory: planned.inventory, data };
  await reports.report(run, signal);
  await reports.close();
  return applied;
}

/** The data of an entry, at the location that the data has today. */
function dataOf({ id, source: { commit } }: HistoryEntry, location: string): string {
  const next = "name the data of then with --data: a bundle file, a directory in git, or REPOSITORY#COMMIT";
  if (isServerAddress(location)) {
    throw new InputError("a data server has only its newest data", { where: location, next });
  }
  const stats = statSync(location, { throwIfNoEntry: false });
  if (stats?.isFile()) return location;
  if (commit === undefined) {
    throw new InputError(`the data of entry ${id} was in no commit`, { where: location, next });
  }
  if (stats?.isDirectory()) return `${location}#${commit}`;
  const { repository, directory } = parseGitLocation(location);
  return `${repository}#${commit}${directory === "" ? "" : `:${directory}`}`;
}

/** Branches and tags of images mean what they meant then. */
function refsOf({ source: { refs = {} } }: HistoryEntry, desire: DesiredOptions): DesiredOptions["resolveRef"] {
  return async (repository, ref, signal) => {
    const key = refKey(repository, ref);
    const recorded = Object.hasOwn(refs, key) ? refs[key] : undefined;
    return recorded ?? (await desire.resolveRef(repository, ref, signal));
  };
}

function describeDifferent({ cluster, namespace, kind, name }: ReturnType<typeof differentNow>[number]): Notice {
  return {
    where: `${cluster}/${namespace} ${kind} ${name}`,
    what: "rendered from the data of then, it is not what it was then",
    next: "the chart, the image, the schemas or a parameter is another one now; compare before you go on",
  };
}

function sayWhatIsNext(
  names: readonly string[],
  declared: ReadonlySet<string>,
  isSuspending: boolean,
  { stderr }: Pick<Shell, "stderr">,
): void {
  const [kept, gone] = [names.filter((name) => declared.has(name)), names.filter((name) => !declared.has(name))];
  if (isSuspending && kept.length > 0) {
    stderr.write(
      `${safeText(kept.join(", "))}: suspended, because the data still has the newer state; revert it there, then: tenon resume ${safeText(kept.join(" "))}\n`,
    );
  } else if (kept.length > 0) {
    stderr.write(
      `${safeText(kept.join(", "))}: not suspended; a running manager applies the newer state again unless the data is reverted\n`,
    );
  }
  if (gone.length === 0) return;
  stderr.write(
    `${safeText(gone.join(", "))}: deleted, and nothing is left to suspend; a running manager creates it again unless the data is reverted\n`,
  );
}
