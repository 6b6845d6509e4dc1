import { systemClock } from "#base";
import { keyOf } from "#kube";
import { Application, Component, declareBuild, Snapshot } from "#promotion";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface PromoteBuildChoice extends ClusterChoice {
  readonly component: string;
  readonly image: string;
  readonly commit?: string;
  readonly namespace?: string;
  readonly output: "table" | "json" | "yaml";
}

/** `tenon promote build`: says, with the rights of the user, what any CI has built. */
export async function promoteBuild(choice: PromoteBuildChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Application, Component, Snapshot]);
    const { component, image, commit, namespace = ownNamespace } = choice;
    const build = { namespace, component, image, commit, startedAt: systemClock.now() };
    const { snapshot, isKnown, omitted } = await declareBuild(build, client, shell.signal);
    if (choice.output !== "table") {
      await printDocument(
        { namespace, snapshot: snapshot.metadata.name, isNew: !isKnown, omitted },
        choice.output,
        shell,
      );
      return;
    }
    const key = keyOf(snapshot);
    shell.stdout.write(`Snapshot ${key} ${isKnown ? "exists already for this build" : "created"}\n`);
    if (omitted.length > 0) {
      shell.stdout.write(`left out, because they have no image yet: ${safeText(omitted.join(", "))}\n`);
    }
    shell.stdout.write(`next: tenon explain snapshot/${key}\n`);
  });
}
