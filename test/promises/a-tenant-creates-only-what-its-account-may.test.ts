import { beforeAll, describe, expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "climber");
const rbac = "rbac.authorization.k8s.io";
const pod = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "none", ...more }] },
});
const own = { socket: { name: "own" } };

/** A service account, as an administrator makes it. */
async function account(name: string, rules: readonly object[]): Promise<void> {
  const metadata = { name, namespace: tenant.namespace };
  const subjects = [{ kind: "ServiceAccount", ...metadata }];
  const roleRef = { apiGroup: rbac, kind: "Role", name };
  await world.apply(
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    { apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, subjects, roleRef },
  );
}

beforeAll(async () => {
  await world.apply(world.socket("own", {}, tenant.namespace));
  await account("onlooker", [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }]);
  await account("binder", [{ apiGroups: [rbac], resources: ["rolebindings"], verbs: ["*"] }]);
  await account("strong", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }]);
});

describe("objects of a plug are created with the rights of its service account", () => {
  test.each([
    { reason: "a Pod", template: pod("made"), resource: "pods" },
    { reason: "a Secret", template: { ...configMapTemplate("made"), kind: "Secret" }, resource: "secrets" },
    {
      reason: "a Role",
      template: { apiVersion: `${rbac}/v1`, kind: "Role", metadata: { name: "made" }, rules: [] },
      resource: "roles",
    },
    {
      reason: "another Plug",
      template: { apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug", metadata: { name: "made" }, spec: {} },
      resource: "plugs",
    },
  ])(
    "F-08: an object that the service account may not create is refused, with account, verb, resource and what to do: $reason",
    async ({ template, resource }) => {
      const name = `makes-${resource}`;
      await tenant.create(tenant.plug(name, { ...own, serviceAccountName: "onlooker", resources: [{ template }] }));
      const message = await tenant.refusal(name);
      for (const part of [
        `system:serviceaccount:${tenant.namespace}:onlooker`,
        "cannot patch",
        "prints the Role that allows it",
        resource,
        "spec.resources[0].template",
      ])
        expect(message).toContain(part);
      const { apiVersion, kind } = template;
      expect(await world.client.find({ apiVersion, kind, namespace: tenant.namespace, name: "made" })).toBe(undefined);
    },
  );

  test("F-08: a RoleBinding to rights that the account does not have is refused, even if it may create RoleBindings", async () => {
    const template = {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "admin-for-me" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: "binder", namespace: tenant.namespace }],
    };
    await tenant.create(tenant.plug("climbs", { ...own, serviceAccountName: "binder", resources: [{ template }] }));
    expect(await tenant.refusal("climbs")).toMatch(
      /spec\.resources\[0\]\.template: .*(attempting to grant RBAC permissions|rolebindings)/,
    );
    const ref = { apiVersion: `${rbac}/v1`, kind: "RoleBinding", namespace: tenant.namespace, name: "admin-for-me" };
    expect(await world.client.find(ref)).toBe(undefined);
  });

  test("a privileged Pod is refused where the namespace is restricted, and an ordinary ConfigMap is not", async () => {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    const namespaceRef = { apiVersion: "v1", kind: "Namespace", name: tenant.namespace };
    await world.client.patch(namespaceRef, { type: "merge", body: { metadata: { labels } } });
    const template = pod("privileged", { securityContext: { privileged: true } });
    await tenant.create(tenant.plug("root", { ...own, resources: [{ template }] }));
    expect(await tenant.refusal("root")).toMatch(/violates PodSecurity "restricted.*privileged/);
    expect(await world.client.find(tenant.ref("Pod", "privileged"))).toBe(undefined);
    await tenant.create(tenant.plug("plain", { ...own, resources: [{ template: configMapTemplate("plain") }] }));
    await tenant.waitUntilCoupled("plain");
  });
});

describe("the service account of a plug", () => {
  test("a plug may name any service account of its own namespace, like a pod, and none of another", async () => {
    const resources = [{ template: configMapTemplate("by-strong") }];
    await tenant.create(tenant.plug("strong", { ...own, serviceAccountName: "strong", resources }));
    await tenant.waitUntilCoupled("strong");
    for (const name of [
      `${world.prov}:default`,
      `../${world.prov}/default`,
      "system:serviceaccount:kube-system:default",
    ]) {
      const created = tenant.create(tenant.plug("foreign", { ...own, serviceAccountName: name, resources }));
      await expect(created).rejects.toThrow("spec.serviceAccountName");
    }
  });
});
