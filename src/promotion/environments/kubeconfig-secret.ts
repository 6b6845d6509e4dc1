import { InputError } from "#base";
import { toYaml } from "#golang";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef, refOf } from "#kube";
import { environmentLabels } from "../kinds/environment-names.ts";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import type { EnvironmentAccess } from "./environment-provider.ts";

/** The Secret that a claim's kubeconfig is in. */
export function kubeconfigSecretName({ metadata, spec }: Pick<EphemeralClaim, "metadata" | "spec">): string {
  return spec.secretName ?? `${metadata.name.slice(0, 240)}-kubeconfig`;
}

function refOfSecret(claim: EphemeralClaim): ObjectRef {
  return { apiVersion: "v1", kind: "Secret", namespace: claim.metadata.namespace, name: kubeconfigSecretName(claim) };
}

/** A Secret that someone else made stays as it is, and the claim is refused. */
export async function writeKubeconfig(
  claim: EphemeralClaim,
  access: EnvironmentAccess,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind } = EphemeralClaim;
  const { name, uid = "", namespace = "" } = claim.metadata;
  const ref = refOfSecret(claim);
  const data = { kubeconfig: Buffer.from(kubeconfigOf(access)).toString("base64") };
  try {
    await client.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: ref.name,
          namespace,
          labels: { [environmentLabels.claimUid]: uid },
          ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
        },
        type: "Opaque",
        data,
      },
      {},
      signal,
    );
    return;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
  }
  const found = await client.get({ ...ref, metadataOnly: true }, signal);
  if (!isOf(found, claim)) {
    throw new InputError(`${describeRef(ref)} exists already and is not this claim's`, {
      next: "name another one in spec.secretName of a new claim, or delete the Secret",
    });
  }
  await client.patch(ref, { type: "merge", body: { metadata: { uid: found.metadata.uid }, data } }, signal);
}

export async function hasKubeconfig(claim: EphemeralClaim, client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const found = await client.find({ ...refOfSecret(claim), metadataOnly: true }, signal);
  return found !== undefined && isOf(found, claim);
}

/** The Secret goes before the environment, so that no one begins to use what is about to end. */
export async function deleteKubeconfig(claim: EphemeralClaim, client: KubeClient, signal: AbortSignal): Promise<void> {
  const found = await client.find({ ...refOfSecret(claim), metadataOnly: true }, signal);
  if (found && isOf(found, claim)) await client.delete(refOf(found), { uid: found.metadata.uid }, signal);
}

function isOf({ metadata: { ownerReferences = [] } }: KubeObject, { metadata: { uid } }: EphemeralClaim): boolean {
  return ownerReferences.some((owner) => owner.uid === uid);
}

/** A kubeconfig for an environment; it holds the token. */
export function kubeconfigOf({ namespace, server, certificateAuthority, token }: EnvironmentAccess): string {
  const authority =
    certificateAuthority === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(certificateAuthority).toString("base64") };
  return toYaml({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "environment",
    clusters: [{ name: "environment", cluster: { server, ...authority } }],
    users: [{ name: "environment", user: { token: token.reveal() } }],
    contexts: [{ name: "environment", context: { cluster: "environment", user: "environment", namespace } }],
  });
}
