import { InputError, systemClock } from "#base";
import { annotations, Plug } from "#coupling";
import { ApiError, describeRef } from "#kube";
import type { ClusterChoice } from "../cluster-options.ts";
import type { Shell } from "../shell.ts";
import { readKey } from "./object-name.ts";
import { requireKinds, withClient } from "./with-client.ts";

export interface RetryChoice extends ClusterChoice {
  readonly namespace?: string;
}

/** Marks plugs, so that the operator looks at them at once. All of them are read before the first is marked. */
export async function retryPlugs(names: readonly string[], choice: RetryChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireKinds(client, shell.signal);
    const { apiVersion, kind } = Plug;
    const refs = names.map((name) => ({ apiVersion, kind, ...readKey(name, choice.namespace ?? ownNamespace) }));
    for (const ref of refs) {
      await client.get({ ...ref, metadataOnly: true }, shell.signal).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.isNotFound)) throw error;
        throw new InputError(`${describeRef(ref)} does not exist`, { next: "see `tenon get plugs --all-namespaces`" });
      });
    }
    const value = new Date(systemClock.now()).toISOString();
    for (const ref of refs) {
      const body = { metadata: { annotations: { [annotations.retry]: value } } };
      await client.patch(ref, { type: "merge", body, fieldManager: "tenon" }, shell.signal);
      shell.stdout.write(`${describeRef(ref)} is tried again\n`);
    }
  });
}
