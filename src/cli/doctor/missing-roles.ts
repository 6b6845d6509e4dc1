import type { KubeObject } from "#kube";
import type { Right } from "#runtime";
import type { Holder } from "./judge-rights.ts";

const rbac = "rbac.authorization.k8s.io";
const name = "tenon-missing-rights";

/** The roles and bindings that give somebody what they lack. */
export function missingRoles(missing: readonly Right[], user: string, holder: Holder): KubeObject[] {
  const places = { cluster: [undefined], "own namespace": [holder.namespace], "target namespaces": holder.targets };
  return [...Map.groupBy(missing, ({ where }) => where)].flatMap(([where, rights]) =>
    places[where].flatMap((namespace) => roleAndBinding(rights, namespace, user)),
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
