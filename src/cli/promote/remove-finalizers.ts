import { CommandFailed, describeError, InputError } from "#base";
import { describeRef, refOf } from "#kube";
import { findHeldObjects, removePromotionFinalizers } from "#promotion";
import { withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface RemoveFinalizersChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly allNamespaces: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** `tenon promote remove-finalizers`: lets objects go that Tenon kept, once it no longer runs. */
export async function removeFinalizers(choice: RemoveFinalizersChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    const { signal } = shell;
    const namespace = choice.allNamespaces ? undefined : (choice.namespace ?? ownNamespace);
    const held = await findHeldObjects(client, namespace, signal);
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    for (const object of held) say(`  - ${describeRef(refOf(object))}`);
    if (held.length === 0) {
      say("nothing to do");
      return;
    }
    if (choice.dryRun) return;
    if (!choice.yes && !(await confirm("remove the finalizers of these objects?", shell, signal))) {
      throw new InputError("nothing was changed", { next: "answer yes, or use --yes" });
    }
    const problems: string[] = [];
    for (const object of held) {
      try {
        await removePromotionFinalizers(object, client, signal);
      } catch (error) {
        signal.throwIfAborted();
        problems.push(`${describeRef(refOf(object))}: ${describeError(error)}`);
      }
    }
    if (problems.length > 0)
      throw new CommandFailed(`cannot change ${problems.join("; ")}`, { next: "repeat the command" });
    say(`${held.length} let go`);
  });
}
