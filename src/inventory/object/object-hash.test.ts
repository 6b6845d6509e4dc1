import { expect, test } from "vitest";
import { parseExactYamlDocuments } from "#yaml";
import { isExactMap } from "./exact.ts";
import { sha256Of } from "./object-hash.ts";

const minimal = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a";
const hashOfMinimal = "f879a1b1ab565df18ad83fdbad1813fe167dff1bdc8ba01b0fbe17b3bd4bd223";

function hashOf(yaml: string): string {
  const body = parseExactYamlDocuments(yaml)[0]?.value;
  return isExactMap(body) ? sha256Of(body) : "no object";
}

test.each([
  {
    reason: "G1-01, D-14: an object with nothing but a name has the hash of qontract-reconcile",
    yaml: `${minimal}}`,
    expected: hashOfMinimal,
  },
  {
    reason: "G1-02, D-6: null annotations hash like absent ones",
    yaml: `${minimal}, annotations: null}`,
    expected: hashOfMinimal,
  },
  {
    reason: "G1-03, D-7, D-10: fields and annotations that clusters and owners add do not change the hash",
    yaml: `${minimal}, namespace: n, uid: u, resourceVersion: "1", generation: 2, selfLink: s, creationTimestamp: t, managedFields: [],
      annotations: {kubectl.kubernetes.io/last-applied-configuration: x, qontract.integration: i, qontract.integration_version: v,
      qontract.sha256sum: s, qontract.update: u, qontract.caller_name: c, tenon.dev/integration: i, external-resources/secret-updated-at: t}}\nstatus: {a: 1}`,
    expected: hashOfMinimal,
  },
  {
    reason: "G1-04: type Opaque does not change the hash, because it is the default",
    yaml: `${minimal}}\ntype: Opaque`,
    expected: hashOfMinimal,
  },
  {
    reason: "G1-05: data changes the hash",
    yaml: `${minimal}}\ndata: {k: "v", b: "2"}`,
    expected: "a62b990120180a57386388042ea1119951680171f97287125d311e1e2bab4973",
  },
  {
    reason: "G1-06, D-10: the annotation that requests a restart changes the hash",
    yaml: `${minimal}, annotations: {qontract.recycle: "true"}}`,
    expected: "a9fd4ca4a58924b35443a12d100854b5e554cab1a306ede4fcc8b624224cced3",
  },
  {
    reason: "G1-07: characters outside of ASCII are escaped before hashing",
    yaml: `${minimal}}\ndata: {k: "na\u00efve \u2603 \u{1f600} \\u2028 \\x7f \\"q\\" \\\\ / \\t"}`,
    expected: "ff513899516fb61815f3c106a62af8988aba4128970e317a2efdd0dd58c810eb",
  },
  {
    reason: "G1-08, D-13: integers and floats have different hashes",
    yaml: `${minimal}}\ndata: {i: 1, f: 1.0, e: 1e21, s: 1e-7, neg: -0.0, big: 12345678901234567890, t: true, "n": null}`,
    expected: "7914c301f31bb5e20aa060667894ae0e1c84713efc82abe04c3e85605ce36c8d",
  },
  {
    reason: "G1-09: stringData of a Secret is encoded before hashing",
    yaml: `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ntype: Opaque\ndata: {x: eA==}\nstringData: {k: "v", empty: "", num: 5}`,
    expected: "cf19b91b740557c7c9ae012940d6c7e7a41661109d4b39e0c809cf21d84ad964",
  },
  {
    reason: "G1-10: the revision annotation of a Deployment does not change the hash",
    yaml: `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, annotations: {deployment.kubernetes.io/revision: "3"}}\nspec: {replicas: 1}`,
    expected: "06dc96688fd65c23e60d1eb360a0011bf5cdb5f9d636fce3a454d720856055bf",
  },
  {
    reason: "G1-11: the cluster IP of a Service of type ClusterIP does not change the hash",
    yaml: `apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {type: ClusterIP, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], sessionAffinity: None, ports: [{port: 80}]}`,
    expected: "eb656565ad63eedadc0664a8a99cad664d43d3b7a3cc41e86d3611ee5493e56e",
  },
  {
    reason: "G1-12: the cluster IP of a Service without a type changes the hash",
    yaml: `apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {clusterIP: 10.0.0.1, sessionAffinity: None, ports: [{port: 80}]}`,
    expected: "888e1c8b30fc7ea705861e9178cac91d50c0fd65c475d082bea763e75edc50b1",
  },
  {
    reason: "G1-13: the order of a Role's resources and verbs does not change the hash, that of its API groups does",
    yaml: `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules: [{apiGroups: [b, a], resources: [z, a], verbs: [watch, get], attributeRestrictions: null}]`,
    expected: "9d8a2cf2e7cc56de323a64e5dc57b3d1f3946919cdb706ce2e146cb1d4f78efb",
  },
  {
    reason: "G1-14: the redundant fields of a RoleBinding do not change the hash",
    yaml: `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: r}\ngroupNames: null\nuserNames: [u]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view, namespace: x}
subjects: [{kind: User, name: u, namespace: "n", apiGroup: rbac.authorization.k8s.io}, {kind: ServiceAccount, name: s, apiGroup: ""}]`,
    expected: "354d4b46b371616e5b1d82973bd76b653e2ac9c6e0580a29338ee72765310152",
  },
  {
    reason: "G1-15: pull secrets that OpenShift adds to a ServiceAccount do not change the hash, its own do",
    yaml: `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s}\nimagePullSecrets: [{name: s-dockercfg-abc}, {name: mine}]\nsecrets: [{name: tok}]`,
    expected: "c41c0cc939501209dac2c795bd7e6f4e7a28c25ef8d65d910d67f48ec8e58228",
  },
  {
    reason: "G1-16: a ServiceAccount whose only pull secrets are OpenShift's hashes like one without",
    yaml: `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s}\nimagePullSecrets: [{name: s-dockercfg-abc}]`,
    expected: "b2c30d491b36ed3f2fb632854d609dae743fb4cb1ebec64a88bab012d7250a37",
  },
  {
    reason: "G1-17: fields that a certificate controller writes into a Route do not change the hash",
    yaml: `apiVersion: route.openshift.io/v1\nkind: Route
metadata: {name: r, annotations: {kubernetes.io/tls-acme: "true", kubernetes.io/tls-acme-awaiting-authorization-owner: o}}
spec: {host: h, wildcardPolicy: "None", subdomain: "", tls: {termination: edge, key: K, certificate: C}}`,
    expected: "4167ecdda18c432538f03d21f93b0b8b13fc8a2ae1c8b4a298baed2828c949ae",
  },
])("$reason", ({ yaml, expected }) => {
  expect(hashOf(yaml)).toBe(expected);
});

test.each([
  {
    reason: "D-8: labels that controllers write on a ManagedCluster do not change the hash",
    bare: "apiVersion: v1\nkind: ManagedCluster\nmetadata: {name: a, labels: {own: x}}",
    full: `apiVersion: v1\nkind: ManagedCluster\nmetadata: {name: a, labels: {own: x, clusterID: i, managed-by: m, openshiftVersion: "4",
      feature.open-cluster-management.io/addon-search: available}}`,
  },
  {
    reason: "D-9: the annotation of provided APIs on an OperatorGroup does not change the hash",
    bare: "apiVersion: v1\nkind: OperatorGroup\nmetadata: {name: a}",
    full: "apiVersion: v1\nkind: OperatorGroup\nmetadata: {name: a, annotations: {olm.providedAPIs: x}}",
  },
  {
    reason: "D-9: the redundant fields of a ClusterRoleBinding do not change the hash",
    bare: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a}\nroleRef: {name: view}",
    full: `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a}\nuserNames: [u]\ngroupNames: [g]
roleRef: {name: view, kind: ClusterRole, apiGroup: rbac.authorization.k8s.io}`,
  },
  {
    reason: "D-9: the annotation of a Route that waits for its certificate does not change the hash",
    bare: `apiVersion: v1\nkind: Route\nmetadata: {name: a, annotations: {kubernetes.io/tls-acme: "true"}}\nspec: {host: h}`,
    full: `apiVersion: v1\nkind: Route\nmetadata: {name: a, annotations: {kubernetes.io/tls-acme: "true",
      kubernetes.io/tls-acme-awaiting-authorization-at-url: u}}\nspec: {host: h, subdomain: null}`,
  },
])("$reason", ({ bare, full }) => {
  expect(hashOf(full)).toBe(hashOf(bare));
  expect(hashOf(full.replace("name: a", "name: b"))).not.toBe(hashOf(bare));
});

test.each([
  "Role",
  "RoleBinding",
  "ClusterRoleBinding",
  "Route",
  "Service",
  "ServiceAccount",
  "Secret",
  "ManagedCluster",
])("D-11: an object with an empty spec has a hash: %s", (kind) => {
  expect(hashOf(`apiVersion: v1\nkind: ${kind}\nmetadata: {name: a, labels: null}\nspec: null`)).toMatch(
    /^[0-9a-f]{64}$/,
  );
});
