import { InputError, systemClock } from "#base";
import { describeRef } from "#kube";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { safeText } from "../terminal/visible-text.ts";
import type { RequestKind } from "./environment-commands.ts";
import { kindsOfRequest, refOfRequest, viewRequest } from "./requested-environment.ts";

export interface DeleteEnvironmentChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly kind: RequestKind;
  readonly ifExists: boolean;
}

const pauseMs = 250;

/** `tenon promote env delete` */
export async function deleteEnvironment(name: string, choice: DeleteEnvironmentChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, kindsOfRequest(choice.kind));
    const say = (line: string): void => void shell.stdout.write(`${safeText(line)}\n`);
    const ref = refOfRequest(choice.kind, parseObjectKey(name, choice.namespace ?? ownNamespace));
    const claim = await client.find(ref, shell.signal);
    if (!claim) {
      if (choice.ifExists) return say(`${describeRef(ref)} does not exist`);
      throw new InputError(`${describeRef(ref)} not found`, { next: "`tenon get claims --all-namespaces` lists all" });
    }
    const { uid } = claim.metadata;
    // A SpaceRequest then stays until its claim is gone; a claim waits by itself.
    const propagation = choice.kind === "SpaceRequest" ? "Foreground" : "Background";
    await client.delete(ref, { uid, propagation }, shell.signal);
    let said: string | undefined;
    for (;;) {
      const found = await client.find(ref, shell.signal);
      if (found?.metadata.uid !== uid || !found) break;
      const { message } = viewRequest(found);
      if (message !== undefined && message !== said) say(`waiting: ${message}`);
      said = message;
      await systemClock.sleep(pauseMs, shell.signal);
    }
    say(`${describeRef(ref)} and its environment are gone`);
  });
}
