import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Chart, loadChart } from "#template";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here] = world.namespaces;
let chart: Chart;

/** Plain objects without a Template: a Service for each integration, and more for those that say so. */
const template = `
{{- range .Values.integrations }}
---
apiVersion: v1
kind: Service
metadata: { name: {{ .name }}, labels: { app: {{ .name }} } }
spec: { selector: { app: {{ .name }} }, ports: [{ name: http, port: 80 }] }
{{- if .settings }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .name }}, labels: { app: {{ .name }} } }
data: { settings: {{ .settings | quote }} }
{{- end }}
{{- if .everywhere }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: {{ .name }}, labels: { app: {{ .name }} } }
rules: []
{{- end }}
{{- end }}
`;

beforeAll(async () => {
  const directory = join(world.data.path, "chart");
  await mkdir(join(directory, "templates"), { recursive: true });
  await writeFile(join(directory, "Chart.yaml"), "apiVersion: v2\nname: toy\nversion: 0.1.0\n");
  await writeFile(join(directory, "templates", "all.yaml"), template);
  chart = loadChart(directory);
  await world.data.namespace("n1", { realName: here });
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n1", spec: { settings: "x" } }]);
});

test("D-27: every kind that a chart renders is managed, and remains so when no chart renders it any more", async () => {
  expect((await world.run({ desire: { chart } })).done).toEqual([
    "c1 create ConfigMap b",
    "c1 create Service a",
    "c1 create Service b",
  ]);
  await world.data.integration("b", [{ namespace: "n1" }]);
  const { done } = await world.run({ desire: { chart } });
  expect(done).toEqual(["c1 delete ConfigMap b"]);
});

test("a cluster-scoped object fails its integration, and no other", async () => {
  await world.data.integration("c", [{ namespace: "n1", spec: { everywhere: true } }]);
  await world.data.integration("d", [{ namespace: "n1" }]);
  const { done, isSuccess, plan } = await world.run({ desire: { chart } });
  expect(done).toEqual(["c1 create Service d"]);
  expect(isSuccess).toBe(false);
  expect(plan.errors).toMatchObject([{ attribution: "c", what: expect.stringContaining("ClusterRole") }]);
});

test("D-27: the managed kinds can be set explicitly", async () => {
  const plan = await world.plan({ desire: { chart }, managedKinds: ["ConfigMap"] });
  expect(plan.actions).toEqual([]);
  expect(new Set(plan.errors.map(({ attribution }) => attribution))).toEqual(new Set(["a", "b", "c", "d"]));
});
