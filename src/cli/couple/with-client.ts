import { InputError } from "#base";
import { Plug } from "#coupling";
import { connect, createClient, type Discovery, type KubeClient, loadAccess } from "#kube";
import type { ClusterChoice } from "../cluster-options.ts";
import type { Shell } from "../shell.ts";

/** Works with the user's cluster, as the user; `namespace` is the one that their context names. */
export async function withClient<Answer>(
  { context, kubeconfig }: ClusterChoice,
  shell: Pick<Shell, "env" | "signal">,
  work: (client: KubeClient, namespace: string) => Promise<Answer>,
): Promise<Answer> {
  const access = await loadAccess({
    env: shell.env,
    ...(context === undefined ? {} : { context }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  });
  await using transport = connect(access);
  return await work(createClient(transport), access.namespace);
}

/** So that a cluster without plugs says what it lacks, and not only that there is no such kind. */
export async function requireKinds(
  { discovery }: { readonly discovery: Pick<Discovery, "find"> },
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind } = Plug;
  try {
    await discovery.find({ apiVersion, kind }, signal);
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    throw new InputError(`the cluster does not have the kinds Plug and Socket of ${apiVersion}`, {
      next: "install them with `tenon run --only couple --install-crds`, or ask for another cluster with --context",
      cause,
    });
  }
}
