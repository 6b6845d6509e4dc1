import type { AccessQuestion, AccessRules } from "#kube";
import { ownServiceAccount, type Right } from "#runtime";

/** Whose rights, and where Tenon would live. */
export interface Holder {
  /** The name of the service account in Tenon's own namespace; undefined if it is none of those. */
  readonly account: string | undefined;
  readonly namespace: string;
  /** Namespaces that integrations run in. */
  readonly targets: readonly string[];
}

export interface GrantedRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

/** The right for this holder: with real names, or undefined if it has no use for it. */
export function rightOf(right: Right, { account }: Holder): Right | undefined {
  if (!right.names?.includes(ownServiceAccount)) return right;
  return account === undefined ? undefined : { ...right, names: [account] };
}

/** What is to be asked to know whether a right is there, a question for each verb. */
export function questionsOf(right: Right, holder: Holder): ReadonlyMap<string, readonly AccessQuestion[]> {
  const { apiGroup, resources, verbs, names = [undefined] } = right;
  const places = {
    cluster: [undefined],
    "own namespace": [holder.namespace],
    "target namespaces": holder.targets,
  }[right.where];
  return new Map(
    verbs.map((verb) => [
      verb,
      places.flatMap((namespace) =>
        resources.flatMap((path) => {
          const [resource = "", subresource] = path.split("/");
          return names.map((name) => ({ verb, group: apiGroup, resource, subresource, namespace, name }));
        }),
      ),
    ]),
  );
}

/**
 * What is granted in Tenon's own namespace and no job needs. Rules of RBAC may be written in many ways; each is cut into what
 * it grants of one resource.
 */
export function findSurplus({ resourceRules }: AccessRules, needed: readonly Right[]): GrantedRule[] {
  const surplus = resourceRules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
    apiGroups.flatMap((apiGroup) =>
      resources.flatMap((resource) => {
        const left = verbs.filter(
          (verb) =>
            !isEverybodys(apiGroup, resource) &&
            !needed.some((right) => covers(right, apiGroup, resource, resourceNames, verb)),
        );
        return left.length === 0 ? [] : [{ apiGroups: [apiGroup], resources: [resource], resourceNames, verbs: left }];
      }),
    ),
  );
  return [...new Map(surplus.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function covers(right: Right, apiGroup: string, resource: string, names: readonly string[], verb: string): boolean {
  if (right.where === "target namespaces") return false;
  if (right.apiGroup !== apiGroup || !right.resources.includes(resource) || !right.verbs.includes(verb)) return false;
  return !right.names || (names.length > 0 && names.every((name) => right.names?.includes(name)));
}

/**
 * Kubernetes itself grants this: to every user to ask what they may, to every service account to read bundles of certificates.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
function isEverybodys(apiGroup: string, resource: string): boolean {
  if (apiGroup === "certificates.k8s.io") return resource === "clustertrustbundles";
  return /^(authorization|authentication)\.k8s\.io$/.test(apiGroup) && resource.startsWith("selfsubject");
}
