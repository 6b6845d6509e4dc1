import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import type { Workload } from "../kinds/index.ts";
import { type Binding, bindingAnnotation, bindingFields, bindingManager, isMounted } from "./binding-fields.ts";

const workload = (more: Partial<Workload> = {}): Workload => ({ kind: "Deployment", name: "web", ...more });
const binding = (more: Partial<Workload> = {}, plugName = "db"): Binding => ({
  plugName,
  secretName: `${plugName}-integration-result`,
  keys: ["type", "provider", "url"],
  workload: workload(more),
  fingerprint: (shape) => `hash of ${JSON.stringify(shape).length}`,
});

function deployment(pod: object, managedFields: KubeObject["metadata"]["managedFields"] = []): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "app", uid: "u", managedFields },
    spec: { template: { spec: pod } },
  };
}
const two = deployment({ containers: [{ name: "a", image: "i" }, { name: "b" }], initContainers: [{ name: "c" }] });
const mount = (path: string) => [{ name: "binding-db", mountPath: path, readOnly: true }];
const root = { name: "SERVICE_BINDING_ROOT", value: "/bindings" };

test("a binding is a volume of its Secret in each container and init container, with a hash of it", () => {
  const { object, hash } = bindingFields(two, binding());
  const container = { volumeMounts: mount("/bindings/db"), env: [root] };
  expect(object).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "app", uid: "u" },
    spec: {
      template: {
        metadata: { annotations: { "integration.rock8s.com/binding-db": hash } },
        spec: {
          volumes: [{ name: "binding-db", secret: { secretName: "db-integration-result" } }],
          containers: [
            { name: "a", ...container },
            { name: "b", ...container },
          ],
          initContainers: [{ name: "c", ...container }],
        },
      },
    },
  });
});

test("a CronJob has the binding in the template of its Jobs", () => {
  const cron: KubeObject = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "web", namespace: "app", uid: "u" },
    spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: "a" }] } } } } },
  };
  const fields = bindingFields(cron, binding({ kind: "CronJob" }));
  expect(fields.object).toMatchObject({
    spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: "a", env: [root] }] } } } } },
  });
  expect(isMounted({ ...cron, ...fields.object }, fields)).toBe(true);
  expect(isMounted(cron, fields)).toBe(false);
});

test("only the named containers get the binding, at the path and with the variables of the plug", () => {
  const env = [{ name: "DATABASE_URL", key: "url" }];
  const { object } = bindingFields(two, binding({ containers: ["b"], mountPath: "/srv/b", env }));
  expect(object["spec"]).toMatchObject({
    template: {
      spec: {
        containers: [
          {
            name: "b",
            volumeMounts: mount("/srv/b/db"),
            env: [
              { name: "SERVICE_BINDING_ROOT", value: "/srv/b" },
              {
                name: "DATABASE_URL",
                valueFrom: { secretKeyRef: { name: "db-integration-result", key: "url" } },
              },
            ],
          },
        ],
      },
    },
  });
  expect(object).not.toHaveProperty("spec.template.spec.initContainers");
});

const managed = (manager: string) => [
  {
    manager,
    fieldsV1: {
      "f:spec": {
        "f:template": {
          "f:spec": {
            "f:containers": {
              'k:{"name":"a"}': { "f:env": { 'k:{"name":"SERVICE_BINDING_ROOT"}': { "f:value": {} } } },
            },
          },
        },
      },
    },
  },
];

test.each([
  { reason: "its author set it", value: "/srv/", manager: "helm", path: "/srv/db", env: [] },
  {
    reason: "it is ours, from another mountPath",
    value: "/old",
    manager: bindingManager("db"),
    path: "/bindings/db",
    env: [root],
  },
  { reason: "it is what we would set", value: "/bindings", manager: "helm", path: "/bindings/db", env: [root] },
])("a container keeps its own SERVICE_BINDING_ROOT: $reason", ({ value, manager, path, env }) => {
  const containers = [{ name: "a", env: [{ name: "SERVICE_BINDING_ROOT", value }] }];
  const { object } = bindingFields(deployment({ containers }, managed(manager)), binding());
  expect(object["spec"]).toMatchObject({
    template: { spec: { containers: [{ name: "a", volumeMounts: mount(path), env }] } },
  });
});

test.each([
  {
    reason: "a key that the binding lacks",
    more: { env: [{ name: "A", key: "uri" }] },
    says: "spec.workload.env[0].key: the binding has no key uri; use one of provider, type, url",
  },
  {
    reason: "a container that the workload lacks",
    more: { containers: ["a", "x"] },
    says: "spec.workload.containers[1]: Deployment app/web has no container x; use one of a, b, c",
  },
])("a mistake names the field of the plug: $reason", ({ more, says }) => {
  expect(() => bindingFields(two, binding(more))).toThrow(says);
});

test("a workload has the binding only if all of its fields are there", () => {
  const fields = bindingFields(two, binding());
  expect(isMounted(two, fields)).toBe(false);
  const live = structuredClone({ ...two, ...fields.object });
  expect(isMounted(live, fields)).toBe(true);
  expect(isMounted(live, bindingFields(two, binding({ mountPath: "/other" })))).toBe(false);
  expect(
    isMounted(live, { ...fields, object: bindingFields(two, { ...binding(), fingerprint: () => "n" }).object }),
  ).toBe(false);
});

test("names of long plugs, and of plugs with dots, fit and stay apart", () => {
  const long = "p".repeat(199);
  const names = ["db", "a.b", "a-b", `${long}1`, `${long}2`].flatMap((name) => [
    bindingManager(name),
    bindingAnnotation(name).split("/")[1] ?? "",
  ]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name.length > (name.startsWith("tenon-") ? 128 : 63))).toEqual([]);
  const volume = bindingFields(two, binding({}, `${long}.x`)).object;
  expect(JSON.stringify(volume)).toMatch(/"name":"binding-p{20,}-[0-9a-f]{8}"/);
});
