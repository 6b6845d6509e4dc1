import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { useManagerWorld } from "./manager/manager-world.ts";
import { startManager } from "./manager/running-manager.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
const user = `limited-${here}`;
const rbac = "rbac.authorization.k8s.io";
const Kubeconfig = z.looseObject({ users: z.array(z.looseObject({ user: z.looseObject({}) })) });

/** The world's kubeconfig, impersonating a user without rights of its own. */
async function limitedKubeconfig(): Promise<string> {
  const config = Kubeconfig.parse(JSON.parse(await readFile(world.kubeconfig("c1"), "utf8")));
  for (const entry of config.users) Object.assign(entry.user, { as: user, "as-groups": ["system:authenticated"] });
  const file = join(world.data.path, "limited.json");
  await writeFile(file, JSON.stringify(config));
  return file;
}

beforeAll(async () => {
  const verbs = ["get", "list", "watch", "create", "patch", "update", "delete"];
  const rules = [
    { apiGroups: ["apps"], resources: ["deployments", "statefulsets", "replicasets"], verbs },
    { apiGroups: ["batch"], resources: ["cronjobs"], verbs },
    { apiGroups: [""], resources: ["services"], verbs },
  ];
  for (const namespace of world.namespaces) {
    const metadata = { namespace, name: "manager" };
    await world.client().create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
    const roleRef = { apiGroup: rbac, kind: "Role", name: "manager" };
    const subjects = [{ apiGroup: rbac, kind: "User", name: user }];
    await world.client().create({ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
  }
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
});

test("a manager with rights in two namespaces only deploys there, and watches both for drift", async () => {
  await using manager = await startManager(world, { kubeconfig: await limitedKubeconfig() });
  expect(manager.runs.map(({ isSuccess }) => isSuccess)).not.toContain(false);
  const watches = manager.calls.filter((call) => call.includes(" WATCH "));
  expect(watches.filter((call) => !call.includes("/namespaces/"))).toEqual([]);
  for (const namespace of world.namespaces) {
    const corrected = manager.next(({ why }) => why === `c1/${namespace}`);
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "a" };
    await world
      .client()
      .patch(deployment, { type: "merge", fieldManager: "kubectl-edit", body: { spec: { replicas: 2 } } });
    expect((await corrected).outcomes).toMatchObject([{ action: "update", state: "done" }]);
  }
});
