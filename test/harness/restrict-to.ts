import { vi } from "vitest";
import { type KubeClient, reviewOwnAccess } from "#kube";

/** What somebody may do in one namespace, as a Role says it. */
export interface Right {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string, ...string[]];
  readonly verbs: readonly [string, ...string[]];
}

/** A client for somebody who has these rights in the namespace, and no others. */
export async function restrictTo(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  rules: readonly Right[],
): Promise<KubeClient> {
  const name = `somebody-${crypto.randomUUID().slice(0, 8)}`;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { namespace, name };
  await client.create({ apiVersion, kind: "Role", metadata, rules });
  const subjects = [{ kind: "User", name, apiGroup }];
  const roleRef = { kind: "Role", name, apiGroup };
  await client.create({ apiVersion, kind: "RoleBinding", metadata, subjects, roleRef });
  const restricted = client.impersonate({ user: name });
  // The server learns of rights some time after it has taken them down.
  for (const { apiGroups, resources, verbs } of rules) {
    const question = { verb: verbs[0], group: apiGroups[0], resource: resources[0], namespace };
    await vi.waitUntil(async () => (await reviewOwnAccess(restricted, question)).isAllowed, { timeout: 300_000 });
  }
  return restricted;
}
