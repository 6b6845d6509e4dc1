import type { AccessQuestion, AccessRules, KubeObject } from "#kube";
import { ownLease, ownServiceAccount, type Right, watchedNamespaces } from "#runtime";

/** Whose rights, and in which namespaces. */
export interface RightsHolder {
  /** The name of the service account in Tenon's own namespace; undefined for any other user. */
  readonly account: string | undefined;
  readonly namespace: string;
  /** Namespaces with integrations. */
  readonly targets: readonly string[];
  /** The namespaces that plugs and sockets are coupled in; undefined for all. */
  readonly watched: readonly string[] | undefined;
  /** The Lease of the job couple. */
  readonly lease: string;
}

export interface GrantedRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

/** The right with the names of this installation; undefined if it is about the service account and the holder is not one. */
export function rightFor(right: Right, { account, watched, lease }: RightsHolder): Right | undefined {
  const { names: [name] = [], ...rest } = right;
  if (name === ownLease) return { ...rest, names: [lease] };
  if (name === watchedNamespaces) return watched ? { ...rest, names: watched } : rest;
  if (name !== ownServiceAccount) return right;
  return account === undefined ? undefined : { ...rest, names: [account] };
}

/** Where a right is needed: undefined for the whole cluster. */
function namespacesOf({ where }: Pick<Right, "where">, holder: RightsHolder): readonly (string | undefined)[] {
  return {
    cluster: [undefined],
    "own namespace": [holder.namespace],
    "target namespaces": holder.targets,
    "watched namespaces": holder.watched ?? [undefined],
  }[where];
}

/** The access reviews that tell whether a right is granted, by verb. */
export function accessQuestions(right: Right, holder: RightsHolder): ReadonlyMap<string, readonly AccessQuestion[]> {
  const { apiGroup, resources, verbs, names = [undefined] } = right;
  const namespaces = namespacesOf(right, holder);
  return new Map(
    verbs.map((verb) => [
      verb,
      namespaces.flatMap((namespace) =>
        resources.flatMap((path) => {
          const [resource = "", subresource] = path.split("/");
          return names.map((name) => ({ verb, group: apiGroup, resource, subresource, namespace, name }));
        }),
      ),
    ]),
  );
}

/**
 * Rules granted in Tenon's own namespace that no job needs. RBAC rules can be written in many ways, so each is split into
 * what it grants on one resource.
 */
export function findUnneededRules(
  { resourceRules }: AccessRules,
  needed: readonly Right[],
  holder: RightsHolder,
): GrantedRule[] {
  const neededHere = needed.filter((right) =>
    namespacesOf(right, holder).some((place) => place === undefined || place === holder.namespace),
  );
  const unneeded = resourceRules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
    apiGroups.flatMap((apiGroup) =>
      resources.flatMap((resource) => {
        const left = verbs.filter(
          (verb) =>
            !isGrantedToAll(apiGroup, resource) &&
            !neededHere.some((right) => covers(right, apiGroup, resource, resourceNames, verb)),
        );
        return left.length === 0 ? [] : [{ apiGroups: [apiGroup], resources: [resource], resourceNames, verbs: left }];
      }),
    ),
  );
  return [...new Map(unneeded.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function covers(right: Right, apiGroup: string, resource: string, names: readonly string[], verb: string): boolean {
  if (right.apiGroup !== apiGroup || !right.resources.includes(resource) || !right.verbs.includes(verb)) return false;
  return !right.names || (names.length > 0 && names.every((name) => right.names?.includes(name)));
}

/**
 * Kubernetes grants these by default: self-reviews to every user, and certificate bundles to every service account.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
function isGrantedToAll(apiGroup: string, resource: string): boolean {
  if (apiGroup === "certificates.k8s.io") return resource === "clustertrustbundles";
  return /^(authorization|authentication)\.k8s\.io$/.test(apiGroup) && resource.startsWith("selfsubject");
}

const rbac = "rbac.authorization.k8s.io";
const name = "tenon-missing-rights";

/** The roles and bindings that grant a user the missing rights. */
export function missingRoles(missing: readonly Right[], user: string, holder: RightsHolder): KubeObject[] {
  const placed = missing.flatMap((right) => namespacesOf(right, holder).map((namespace) => ({ right, namespace })));
  return [...Map.groupBy(placed, ({ namespace }) => namespace)].flatMap(([namespace, rights]) =>
    roleAndBinding(
      rights.map(({ right }) => right),
      namespace,
      user,
    ),
  );
}

function roleAndBinding(rights: readonly Right[], namespace: string | undefined, user: string): KubeObject[] {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const [, accountNamespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  const subject =
    account === undefined
      ? { apiGroup: rbac, kind: "User", name: user }
      : { kind: "ServiceAccount", namespace: accountNamespace, name: account };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind,
      metadata,
      rules: rights.map(({ apiGroup, resources, names, verbs }) => ({
        apiGroups: [apiGroup],
        resources,
        ...(names ? { resourceNames: names } : {}),
        verbs,
      })),
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: rbac, kind, name },
      subjects: [subject],
    },
  ];
}
