import { InputError, systemClock } from "#base";
import { annotations, Plug } from "#coupling";
import { ApiError, describeRef } from "#kube";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { type CoupledName, parseCoupledName, parseObjectKey } from "./object-name.ts";
import { requireCoupledKinds, withClient } from "./with-client.ts";

export interface RetryChoice extends ClusterChoice {
  readonly namespace?: string;
}

/** Annotates plugs and sockets, so that the operator retries them at once. Reads all of them before it changes the first. */
export async function retryPlugs(names: readonly string[], choice: RetryChoice, shell: Shell): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal);
    const namespace = choice.namespace ?? ownNamespace;
    const refs = names.map((name) => ({ apiVersion: Plug.apiVersion, ...parseRetried(name, namespace) }));
    for (const ref of refs) {
      await client.get({ ...ref, metadataOnly: true }, shell.signal).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.isNotFound)) throw error;
        throw new InputError(`${describeRef(ref)} not found`, {
          next: `\`tenon get ${ref.kind.toLowerCase()}s --all-namespaces\` lists all`,
        });
      });
    }
    const value = new Date(systemClock.now()).toISOString();
    for (const ref of refs) {
      const body = { metadata: { annotations: { [annotations.retry]: value } } };
      await client.patch(ref, { type: "merge", body, fieldManager: "tenon" }, shell.signal);
      shell.stdout.write(`${describeRef(ref)}: retrying\n`);
    }
  });
}

/** `plug/NAMESPACE/NAME`, `socket/NAMESPACE/NAME`, or a plug as `NAMESPACE/NAME` or `NAME`. */
function parseRetried(text: string, namespace: string): CoupledName {
  const hasKind = text.split("/").length > 2;
  return hasKind ? parseCoupledName(text, namespace) : { kind: "Plug", ...parseObjectKey(text, namespace) };
}
