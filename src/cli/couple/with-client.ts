import { InputError } from "#base";
import { Plug, Socket } from "#coupling";
import { connect, createClient, type Discovery, type KubeClient, loadAccess } from "#kube";
import { nameCluster } from "../cluster/name-cluster.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";

/** Runs `work` with a client for the cluster that the user or `./tenon.yaml` names, and the namespace of its context. */
export async function withClient<Answer>(
  choice: ClusterChoice,
  shell: Shell,
  work: (client: KubeClient, namespace: string) => Promise<Answer>,
): Promise<Answer> {
  const config = await readTenonConfig(undefined);
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env: shell.env });
  await using transport = connect(access);
  return await work(createClient(transport), access.namespace);
}

/** Fails with advice if the cluster does not have the CRDs. */
export async function requireCoupledKinds(
  { discovery }: { readonly discovery: Pick<Discovery, "find"> },
  signal: AbortSignal,
  kinds: readonly { readonly apiVersion: string; readonly kind: string }[] = [Plug, Socket],
): Promise<void> {
  for (const { apiVersion, kind } of kinds) {
    try {
      await discovery.find({ apiVersion, kind }, signal);
    } catch (cause) {
      if (!(cause instanceof InputError)) throw cause;
      const job = apiVersion === Plug.apiVersion ? "couple" : await promoteJobOf(kind);
      // Without the cause, which says the same and advises otherwise.
      throw new InputError(`the cluster does not have the kind ${kind} of ${apiVersion}`, {
        next: `install it with \`tenon run --only ${job} --install-crds\`, or choose another cluster with --context`,
      });
    }
  }
}

/** Loads its room only for the message: lists of plugs do not need it. */
async function promoteJobOf(kind: string): Promise<string> {
  const { installingPart } = await import("#promotion");
  return `promote --promote ${installingPart(kind)}`;
}
