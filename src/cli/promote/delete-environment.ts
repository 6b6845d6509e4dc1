import { InputError, systemClock } from "#base";
import { describeRef } from "#kube";
import { EphemeralClaim } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { safeText } from "../terminal/visible-text.ts";
import { viewClaim } from "./claim-view.ts";

export interface DeleteEnvironmentChoice extends ClusterChoice {
  readonly namespace?: string;
}

const pauseMs = 250;

/** `tenon promote env delete` */
export async function deleteEnvironment(name: string, choice: DeleteEnvironmentChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    const { apiVersion, kind } = EphemeralClaim;
    await requireCoupledKinds(client, shell.signal, [{ apiVersion, kind }]);
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    const ref = { apiVersion, kind, ...parseObjectKey(name, choice.namespace ?? ownNamespace) };
    const claim = await client.find(ref, shell.signal);
    if (!claim) {
      throw new InputError(`${describeRef(ref)} not found`, { next: "`tenon get claims --all-namespaces` lists all" });
    }
    const { uid } = claim.metadata;
    await client.delete(ref, { uid }, shell.signal);
    let said: string | undefined;
    for (;;) {
      const found = await client.find(ref, shell.signal);
      if (found?.metadata.uid !== uid || !found) break;
      const { message } = viewClaim(found);
      if (message !== undefined && message !== said) say(`waiting: ${message}`);
      said = message;
      await systemClock.sleep(pauseMs, shell.signal);
    }
    say(`${describeRef(ref)} and its environment are gone`);
  });
}
