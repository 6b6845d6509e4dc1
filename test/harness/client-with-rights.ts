import { vi } from "vitest";
import { type KubeClient, reviewOwnAccess } from "#kube";

/** A rule of a Role in one namespace. */
export interface NamespaceRight {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string, ...string[]];
  readonly verbs: readonly [string, ...string[]];
}

/** A client of a new user who has these rights in the namespace, and no others. */
export async function clientWithRights(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  rules: readonly NamespaceRight[],
): Promise<KubeClient> {
  const name = `user-${crypto.randomUUID().slice(0, 8)}`;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { namespace, name };
  await client.create({ apiVersion, kind: "Role", metadata, rules });
  const subjects = [{ kind: "User", name, apiGroup }];
  const roleRef = { kind: "Role", name, apiGroup };
  await client.create({ apiVersion, kind: "RoleBinding", metadata, subjects, roleRef });
  const restricted = client.impersonate({ user: name });
  // The authorizer sees new Roles some time after the server has stored them.
  for (const { apiGroups, resources, verbs } of rules) {
    const question = { verb: verbs[0], group: apiGroups[0], resource: resources[0], namespace };
    await vi.waitUntil(async () => (await reviewOwnAccess(restricted, question)).isAllowed, { timeout: 300_000 });
  }
  return restricted;
}
