import type { KubeClient } from "#kube";
import { grantRights, type RoleRule } from "./grant-rights.ts";

/** A client of a new user who has these rights in the namespace, and no others. */
export async function clientWithRights(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  rules: readonly RoleRule[],
): Promise<KubeClient> {
  const user = `user-${crypto.randomUUID().slice(0, 8)}`;
  await grantRights(client, { namespace, name: user, user, rules });
  return client.impersonate({ user });
}
