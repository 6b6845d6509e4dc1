import { systemClock } from "#base";
import { type AccessQuestion, type KubeClient, reviewAccess } from "#kube";

export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Default: all objects. */
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** A Role and its RoleBinding, or a ClusterRole and its ClusterRoleBinding. */
export interface Grant {
  /** Default: the whole cluster. */
  readonly namespace?: string;
  /** Of the role and of its binding. */
  readonly name: string;
  /** A service account is the user that `accountUser` returns. */
  readonly user: string;
  readonly rules: readonly RoleRule[];
}

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;
const limitMs = 5 * 60_000;

/** The user that a service account is for the API server. */
export function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/**
 * Grants rights, and returns once the authorizer allows all of them: it sees a new Role some time after the API server has
 * stored it.
 */
export async function grantRights(client: KubeClient, grant: Grant): Promise<void> {
  const { namespace, name, user, rules } = grant;
  const metadata = { ...(namespace === undefined ? {} : { namespace }), name };
  const [roleKind, bindingKind] = kindsOf(grant);
  const options = { fieldManager: "test", force: true };
  await client.apply({ apiVersion, kind: roleKind, metadata, rules }, options);
  const subjects = [{ apiGroup, kind: "User", name: user }];
  const roleRef = { apiGroup, kind: roleKind, name };
  await client.apply({ apiVersion, kind: bindingKind, metadata, roleRef, subjects }, options);
  await waitForReviews(client, grant, true);
}

/** Takes the rights away, and returns once the authorizer refuses all of them; the user must not have them otherwise. */
export async function revokeRights(client: KubeClient, grant: Grant): Promise<void> {
  const { namespace, name } = grant;
  for (const kind of kindsOf(grant).toReversed()) await client.delete({ apiVersion, kind, namespace, name });
  await waitForReviews(client, grant, false);
}

function kindsOf({ namespace }: Grant): readonly [string, string] {
  return namespace === undefined ? ["ClusterRole", "ClusterRoleBinding"] : ["Role", "RoleBinding"];
}

async function waitForReviews(client: KubeClient, grant: Grant, isAllowed: boolean): Promise<void> {
  const { user } = grant;
  const end = systemClock.monotonic() + limitMs;
  for (const question of questionsOf(grant)) {
    // Not by the test runner's own wait: benchmarks use this too.
    while ((await reviewAccess(client, { user }, question)).isAllowed !== isAllowed) {
      if (systemClock.monotonic() > end) {
        throw new Error(`${user} ${isAllowed ? "still may not" : "still may"} ${JSON.stringify(question)}`);
      }
      await systemClock.sleep(50);
    }
  }
}

function questionsOf({ namespace, rules }: Grant): AccessQuestion[] {
  return rules.flatMap(({ apiGroups, resources, resourceNames = [undefined], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = "", subresource] = path.split("/");
        const asked = { group, resource, subresource, namespace };
        return resourceNames.flatMap((name) => verbs.map((verb) => ({ ...asked, verb, name })));
      }),
    ),
  );
}
