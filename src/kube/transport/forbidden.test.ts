import { load, loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import { explainForbidden } from "./forbidden.ts";
import type { KubeRequest } from "./request.ts";

const list: KubeRequest = { method: "GET", path: "/api/v1/namespaces/x/configmaps" };

const denials = [
  {
    reason: "a list in a namespace, by a service account",
    message: `configmaps is forbidden: User "system:serviceaccount:apps:web" cannot list resource "configmaps" in API group "" in the namespace "x"`,
    request: list,
    denied: { user: "system:serviceaccount:apps:web", verb: "list", resource: "configmaps", group: "", namespace: "x" },
    rule: { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] },
    role: { kind: "Role", namespace: "x", name: "tenon:list-configmaps" },
    binding: { name: "tenon:list-configmaps:system:serviceaccount:apps:web" },
    subject: { kind: "ServiceAccount", name: "web", namespace: "apps" },
  },
  {
    reason: "a subresource of a named object in a group, by a user with quotes in the name",
    message: `deployments.apps "d" is forbidden: User "o\\"brien" cannot update resource "deployments/scale" in API group "apps" in the namespace "x": RBAC: role "r" not found`,
    request: { method: "PUT", path: "/apis/apps/v1/namespaces/x/deployments/d/scale" },
    denied: {
      user: 'o"brien',
      verb: "update",
      resource: "deployments/scale",
      group: "apps",
      namespace: "x",
      name: "d",
    },
    rule: { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["update"] },
    role: { kind: "Role", namespace: "x", name: "tenon:update-deployments-scale.apps" },
    binding: { name: 'tenon:update-deployments-scale.apps:o"brien' },
    subject: { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: 'o"brien' },
  },
  {
    reason: "a cluster-scoped watch",
    message: `nodes is forbidden: User "u/v" cannot watch resource "nodes" in API group "" at the cluster scope`,
    request: { method: "GET", path: "/api/v1/nodes", query: { watch: true } },
    denied: { user: "u/v", verb: "watch", resource: "nodes", group: "" },
    rule: { apiGroups: [""], resources: ["nodes"], verbs: ["watch"] },
    role: { kind: "ClusterRole", name: "tenon:watch-nodes" },
    binding: { name: "tenon:watch-nodes:u-v" },
    subject: { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u/v" },
  },
  {
    reason: "a path of no resource",
    message: `forbidden: User "u" cannot get path "/metrics"`,
    request: { method: "GET", path: "/metrics" },
    denied: { user: "u", verb: "get", resource: "/metrics", group: "" },
    rule: { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    role: { kind: "ClusterRole", name: "tenon:get--metrics" },
    binding: { name: "tenon:get--metrics:u" },
    subject: { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
  },
  {
    reason: "server-side apply, which may have to create",
    message: `secrets "s" is forbidden: User "u" cannot patch resource "secrets" in API group "" in the namespace "x"`,
    request: { method: "PATCH", path: "/api/v1/namespaces/x/secrets/s", contentType: "application/apply-patch+yaml" },
    denied: { user: "u", verb: "patch", resource: "secrets", group: "", namespace: "x", name: "s" },
    rule: { apiGroups: [""], resources: ["secrets"], verbs: ["patch", "create"] },
    role: { kind: "Role", namespace: "x", name: "tenon:patch-create-secrets" },
    binding: { name: "tenon:patch-create-secrets:u" },
    subject: { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
  },
] satisfies readonly { request: KubeRequest; [key: string]: unknown }[];

describe("a denial is explained, with the role and the binding that would help:", () => {
  test.each(denials)("$reason", ({ message, request, denied, rule, role, binding, subject }) => {
    const { manifests, ...found } = explainForbidden(message, request) ?? { manifests: "" };
    expect(found).toEqual(denied);
    const { kind, ...metadata } = role;
    const apiVersion = "rbac.authorization.k8s.io/v1";
    expect(loadAll(manifests)).toEqual([
      { apiVersion, kind, metadata, rules: [rule] },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata: { ...metadata, ...binding },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name },
        subjects: [subject],
      },
    ]);
  });
});

test("a 403 without words is explained from the request, without a binding", () => {
  const { manifests, ...found } = explainForbidden("", list) ?? { manifests: "" };
  expect(found).toEqual({ verb: "list", resource: "configmaps", group: "", namespace: "x" });
  expect(load(manifests)).toMatchObject({ kind: "Role", rules: [{ verbs: ["list"], resources: ["configmaps"] }] });
});

test("how to narrow a role is shown where Kubernetes can", () => {
  const message = `secrets "s" is forbidden: User "u" cannot get resource "secrets" in API group "" in the namespace "x"`;
  const named = explainForbidden(message, { method: "GET", path: "/api/v1/namespaces/x/secrets/s" });
  expect(named?.manifests).toContain('# resourceNames: ["s"]');
  expect(explainForbidden(message, list)?.manifests).not.toContain("resourceNames");
});

const others = [
  {
    reason: "a quota",
    message: `pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`,
  },
  { reason: "an admission webhook", message: `admission webhook "w" denied the request: no` },
  {
    reason: "an escalation",
    message: `roles.rbac.authorization.k8s.io "r" is forbidden: user "u" (groups=["g"]) is attempting to grant RBAC permissions not currently held`,
  },
];

test.each(others)("$reason is nothing that a role would allow", ({ message }) => {
  expect(explainForbidden(message, list)).toBeUndefined();
});
