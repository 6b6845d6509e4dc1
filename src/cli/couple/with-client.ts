import { InputError } from "#base";
import { Plug } from "#coupling";
import { connect, createClient, type Discovery, type KubeClient, loadAccess } from "#kube";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";

/** Runs `work` with a client for the user's cluster and the namespace of their context. */
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

/** Fails with advice if the cluster does not have the CRDs. */
export async function requireCoupledKinds(
  { discovery }: { readonly discovery: Pick<Discovery, "find"> },
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind } = Plug;
  try {
    await discovery.find({ apiVersion, kind }, signal);
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    throw new InputError(`the cluster does not have the kinds Plug and Socket of ${apiVersion}`, {
      next: "install them with `tenon run --only couple --install-crds`, or choose another cluster with --context",
      cause,
    });
  }
}
