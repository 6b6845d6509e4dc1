import { CommandFailed, describeError, InputError } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import { onboardingManager, planOffboarding, promotionAnnotations } from "#promotion";
import { withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface PromoteOffboardChoice extends ClusterChoice {
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** `tenon promote offboard`: deletes what onboarding made, and no history. */
export async function promoteOffboard(namespace: string, choice: PromoteOffboardChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client) => {
    const plan = await planOffboarding(namespace, client, shell.signal);
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    for (const object of plan.deleted) say(`  - ${shortNameOf(object)}`);
    if (plan.namespace) say(`  ~ Namespace ${namespace}: no plans for Applications that appear later`);
    for (const { object, reason } of plan.kept) say(`  = ${shortNameOf(object)}: ${reason}`);
    const history = Object.entries(plan.history).filter(([, count]) => count > 0);
    if (history.length > 0) {
      const counts = history.map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : "s"}`).join(", ");
      say(`stays: the namespace, with ${counts}; \`kubectl delete namespace ${namespace}\` deletes all of it`);
    }
    if (plan.deleted.length === 0 && !plan.namespace) {
      say("nothing to do");
      return;
    }
    if (choice.dryRun) return;
    if (!choice.yes && !(await confirm("delete this?", shell, shell.signal))) {
      throw new InputError("nothing was deleted", { next: "answer yes, or use --yes" });
    }
    if (plan.namespace) {
      const { defaultPlan, defaultPlanAuthor } = promotionAnnotations;
      const body = { metadata: { annotations: { [defaultPlan]: null, [defaultPlanAuthor]: null } } };
      await client.patch(refOf(plan.namespace), { type: "merge", body, fieldManager: onboardingManager }, shell.signal);
    }
    const problems: string[] = [];
    for (const object of plan.deleted) {
      try {
        // Dependents of an Application or a plan stay, whatever their owner references say.
        const { uid } = object.metadata;
        await client.delete(refOf(object), { uid, propagation: "Orphan" }, shell.signal);
      } catch (error) {
        shell.signal.throwIfAborted();
        problems.push(`${describeRef(refOf(object))}: ${describeError(error)}`);
      }
    }
    if (problems.length > 0)
      throw new CommandFailed(`cannot delete ${problems.join("; ")}`, { next: "repeat the command" });
    say(`${plan.deleted.length} deleted`);
  });
}

function shortNameOf({ kind, metadata: { name } }: KubeObject): string {
  return `${kind} ${name}`;
}
