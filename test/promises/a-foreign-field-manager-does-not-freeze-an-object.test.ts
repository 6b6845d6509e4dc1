import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, valueAt } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import { clientWithRights, never, testKubeconfig, useManaged, writesIn } from "#harness";
import { ClusterClients, describePlan } from "#inventory";
import { type KubeObject, refOf } from "#kube";
import { configMap, deployment } from "./managed/objects.ts";

const world = useManaged(["ConfigMap", "Deployment"]);
const { client, namespace, calls } = world;
const { kubectl } = await inspectBinary(clusterHome());
const image = (tag: string) => deployment("app", { app: "app" }, `example.invalid/app:${tag}`);
const imageAt = ["spec", "template", "spec", "containers", 0, "image"];

function run(...parameters: string[]): void {
  const flags = ["--kubeconfig", testKubeconfig(), "--namespace", namespace];
  const { status, stderr } = spawnSync(kubectl, [...flags, ...parameters], { encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

const scale = (count: number) => run("scale", "deployment", "app", `--replicas=${count}`);

async function read(kind = "Deployment", name = "app"): Promise<KubeObject> {
  return await client.get({ apiVersion: kind === "Deployment" ? "apps/v1" : "v1", kind, namespace, name });
}

async function replicas(): Promise<unknown> {
  return valueAt(await read(), ["spec", "replicas"]);
}

afterEach(async () => {
  const kinds = [
    { apiVersion: "apps/v1", kind: "Deployment" },
    { apiVersion: "v1", kind: "ConfigMap" },
    { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
    { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject" },
  ];
  for (const kind of kinds) {
    const { items } = await client.list({ ...kind, namespace });
    for (const item of items) if (item.metadata.name !== "kube-root-ca.crt") await client.delete(refOf(item));
  }
});

/** The part of KEDA that Tenon reads. */
const scaledObjects = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "scaledobjects.keda.sh" },
  spec: {
    group: "keda.sh",
    names: { kind: "ScaledObject", plural: "scaledobjects", singular: "scaledobject" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

let isInstalled = false;

beforeAll(async () => {
  isInstalled = (await client.find(refOf(scaledObjects))) !== undefined;
  if (!isInstalled) await client.create(scaledObjects);
  await client.discovery.whenServed({ apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject" }, never);
});

afterAll(async () => {
  if (!isInstalled) await client.delete(refOf(scaledObjects));
});

describe("fields that we set are taken back", () => {
  test("after kubectl scale, the next run sets replicas and the image, and the run after that writes nothing", async () => {
    await world.run([image("1")]);
    scale(3);
    const { plan, outcomes } = await world.run([image("2")]);
    expect(plan.actions[0]?.diff).toEqual([
      { path: "spec.replicas", before: "3", after: "1", manager: "kubectl" },
      {
        path: "spec.template.spec.containers[main].image",
        before: '"example.invalid/app:1"',
        after: '"example.invalid/app:2"',
      },
    ]);
    expect(describePlan(plan)).toContain("      ~ spec.replicas: 3 -> 1 (set by kubectl)\n");
    expect(outcomes).toMatchObject([{ action: "update", state: "done" }]);
    const live = await read();
    expect([await replicas(), valueAt(live, imageAt)]).toEqual([1, "example.invalid/app:2"]);
    calls.length = 0;
    await world.run([image("2")]);
    expect(writesIn(calls)).toEqual([]);
  });

  test("a field that is taken back costs one write, and a dry run lists it", async () => {
    await world.run([image("1")]);
    run("set", "image", "deployment/app", "main=example.invalid/app:hotfix");
    // Until then Kubernetes writes the status, and a write that meets another is done again.
    run("rollout", "status", "deployment/app");
    const dry = await world.run([image("1")], { dryRun: true });
    expect(dry.plan.actions[0]?.diff).toMatchObject([{ manager: "kubectl-set" }]);
    expect(dry.outcomes[0]?.calls).toHaveLength(1);
    calls.length = 0;
    await world.run([image("1")]);
    expect(writesIn(calls)).toEqual([`PATCH /apis/apps/v1/namespaces/${namespace}/deployments/app`]);
    expect(valueAt(await read(), imageAt)).toBe("example.invalid/app:1");
  });

  test("of a manager that declares fields, those that we set are taken and the others stay", async () => {
    await world.run([configMap("settings")]);
    const theirs = {
      data: { a: "theirs", b: "theirs" },
      metadata: { namespace, name: "settings", labels: { of: "them" } },
    };
    await client.apply(
      { apiVersion: "v1", kind: "ConfigMap", ...theirs },
      { fieldManager: "argocd-controller", force: true },
    );
    const { plan } = await world.run([configMap("settings")]);
    expect(plan.actions).toMatchObject([{ diff: [{ path: "data.a", manager: "argocd-controller" }] }]);
    const live = await read("ConfigMap", "settings");
    expect(live).toMatchObject({ data: { a: "1", b: "theirs" }, metadata: { labels: { of: "them" } } });
  });
});

/** The Deployment with one more field of its pods. */
function podsWith(fields: JsonObject, container: JsonObject = {}): JsonObject {
  const { spec, ...rest } = image("1");
  const template = valueAt(spec, ["template"]);
  const pods = valueAt(template, ["spec"]);
  const main = valueAt(pods, ["containers", 0]);
  const containers = [{ ...Object(main), ...container }];
  return {
    ...rest,
    spec: { ...Object(spec), template: { ...Object(template), spec: { ...Object(pods), containers, ...fields } } },
  };
}

const pods = "/spec/template/spec";
const main = `${pods}/containers/0`;

describe("a field that cannot be there beside ours is removed, also if another manager set it", () => {
  const volume = podsWith({ volumes: [{ name: "work", emptyDir: {} }] });
  const port = { path: "/", port: 8080 };
  const probe = podsWith({}, { livenessProbe: { httpGet: port } });
  const variable = podsWith({}, { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] });

  test.each([
    {
      reason: "a value that comes from elsewhere now",
      desired: image("1"),
      words: ["set", "env", "deployment/app", "--from=configmap/settings", "--keys=b", "--overwrite"],
      at: ["containers", 0, "env", 1],
      is: { name: "B", value: "1" },
    },
    {
      reason: "a variable that is a text now",
      desired: variable,
      patch: [{ op: "replace", path: `${main}/env/0`, value: { name: "A", value: "x" } }],
      at: ["containers", 0, "env", 0],
      is: { name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
    },
    {
      reason: "a variable that comes from another source now",
      desired: variable,
      patch: [
        { op: "replace", path: `${main}/env/0/valueFrom`, value: { configMapKeyRef: { name: "settings", key: "b" } } },
      ],
      at: ["containers", 0, "env", 0],
      is: { name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
    },
    {
      reason: "another kind of volume",
      desired: volume,
      patch: [{ op: "replace", path: `${pods}/volumes/0`, value: { name: "work", configMap: { name: "settings" } } }],
      at: ["volumes", 0],
      is: { name: "work", emptyDir: {} },
    },
    {
      reason: "another kind of probe",
      desired: probe,
      patch: [{ op: "replace", path: `${main}/livenessProbe`, value: { tcpSocket: { port: 8080 } } }],
      at: ["containers", 0, "livenessProbe", "tcpSocket"],
      is: undefined,
    },
    {
      reason: "a probe before ours in the order of the API server",
      desired: podsWith({}, { livenessProbe: { tcpSocket: { port: 8080 } } }),
      patch: [{ op: "replace", path: `${main}/livenessProbe`, value: { httpGet: port } }],
      at: ["containers", 0, "livenessProbe", "httpGet"],
      is: undefined,
    },
  ])("$reason", async ({ desired, words, patch, at, is }) => {
    const settings = configMap("settings", { b: "theirs" });
    await world.run([desired, settings]);
    const there = async () => valueAt(await read(), ["spec", "template", "spec", ...at]);
    if (words) run(...words);
    if (patch) run("patch", "deployment", "app", "--type=json", `--patch=${JSON.stringify(patch)}`);
    expect(await there()).not.toEqual(is);
    const { outcomes } = await world.run([desired, settings]);
    expect(outcomes).toMatchObject([{ action: "update", state: "done" }]);
    expect(await there()).toEqual(is);
    calls.length = 0;
    await world.run([desired, settings]);
    expect(writesIn(calls)).toEqual([]);
  });

  test("a default of the API server is, too", async () => {
    await world.run([image("1")]);
    const { spec, ...rest } = image("1");
    const desired = { ...rest, spec: { ...Object(spec), strategy: { type: "Recreate" } } };
    const { outcomes } = await world.run([desired]);
    expect(outcomes).toMatchObject([{ action: "update", state: "done" }]);
    expect(valueAt(await read(), ["spec", "strategy"])).toEqual({ type: "Recreate" });
  });

  test("what is refused for another reason takes nothing from others", async () => {
    await world.run([image("1")]);
    run("label", "deployment", "app", "of=them");
    calls.length = 0;
    const { outcomes } = await world.run([podsWith({ dnsPolicy: "Nowhere" })]);
    expect(outcomes).toMatchObject([{ state: "failed", reason: expect.stringContaining("Nowhere") }]);
    expect(writesIn(calls)).toHaveLength(1);
  });
});

test("a field is taken back where its absence means something else than what we set", async () => {
  const securityContext = { allowPrivilegeEscalation: false, runAsUser: 0 };
  const fields = { automountServiceAccountToken: false, volumes: [{ name: "work", emptyDir: {} }] };
  const desired = podsWith(fields, { securityContext });
  await world.run([desired]);
  expect((await world.plan([desired])).actions).toEqual([]);
  const paths = [`${pods}/automountServiceAccountToken`, `${main}/securityContext`];
  const patch = paths.map((path) => ({ op: "remove", path }));
  run("patch", "deployment", "app", "--type=json", `--patch=${JSON.stringify(patch)}`);
  expect((await world.plan([desired])).actions).toMatchObject([
    {
      diff: [
        { path: "spec.template.spec.containers[main].securityContext" },
        { path: "spec.template.spec.automountServiceAccountToken", after: "false" },
      ],
    },
  ]);
  await world.run([desired]);
  const live = await read();
  expect(valueAt(live, ["spec", "template", "spec"])).toMatchObject({ automountServiceAccountToken: false });
  expect(valueAt(live, ["spec", "template", "spec", "containers", 0])).toMatchObject({ securityContext });
});

function autoscaler(kind: string, scaleTargetRef: JsonObject): KubeObject {
  const isKeda = kind === "ScaledObject";
  return {
    apiVersion: isKeda ? "keda.sh/v1alpha1" : "autoscaling/v2",
    kind,
    metadata: { namespace, name: "app" },
    spec: { scaleTargetRef, ...(isKeda ? { triggers: [] } : { minReplicas: 1, maxReplicas: 9 }) },
  };
}

function withoutReplicas({ spec, ...rest }: JsonObject): JsonObject {
  const entries = Object.entries(isJsonObject(spec) ? spec : {}).filter(([key]) => key !== "replicas");
  return { ...rest, spec: Object.fromEntries(entries) };
}

describe("replicas are left to an autoscaler", () => {
  test.each([
    { kind: "HorizontalPodAutoscaler", target: { apiVersion: "apps/v1", kind: "Deployment", name: "app" } },
    { kind: "ScaledObject", target: { name: "app" } },
  ])("$kind: replicas stay, everything else is set, and nothing is written twice", async ({ kind, target }) => {
    await world.run([image("1")]);
    const made = await client.create(autoscaler(kind, target));
    scale(4);
    expect(await world.plan([image("1")])).toMatchObject({ actions: [], refusals: [], unchanged: 1, ignored: 1 });

    await world.run([image("2")]);
    expect([await replicas(), valueAt(await read(), imageAt)]).toEqual([4, "example.invalid/app:2"]);
    calls.length = 0;
    await world.run([image("2")]);
    expect(writesIn(calls)).toEqual([]);

    await world.run([withoutReplicas(image("2"))]);
    expect(await replicas(), "the chart leaves replicas out now").toBe(4);

    await client.delete(refOf(made));
    await world.run([image("2")]);
    expect(await replicas(), "no autoscaler scales it now").toBe(1);
  });

  test("autoscalers are read once for each namespace, and only if replicas differ", async () => {
    const other = deployment("other");
    await world.run([image("1"), other]);
    const reads = () => calls.filter((call) => /horizontalpodautoscalers|scaledobjects/.test(call));
    calls.length = 0;
    await world.run([image("2"), other]);
    expect(reads()).toEqual([]);
    run("scale", "deployment", "app", "other", "--replicas=3");
    await world.run([image("2"), other]);
    expect(reads()).toHaveLength(2);
  });

  test("without the right to read autoscalers, scaled replicas stay, the rest is set, and the run says what to allow", async () => {
    const verbs = ["get", "list", "patch"] as const;
    const limited = await clientWithRights(world, [
      { apiGroups: [""], resources: ["configmaps"], verbs },
      { apiGroups: ["apps"], resources: ["deployments"], verbs },
    ]);
    await world.run([image("1")]);
    scale(3);
    const { plan, isSuccess } = await world.run([image("2")], { clusters: ClusterClients.of({ c1: limited }) });
    expect(isSuccess).toBe(false);
    expect(plan.refusals).toMatchObject([
      {
        reason: expect.stringMatching(
          /^spec.replicas is left as it is, because autoscalers cannot be read: .*forbidden/,
        ),
        next: expect.stringContaining("list horizontalpodautoscalers.autoscaling"),
      },
    ]);
    expect([await replicas(), valueAt(await read(), imageAt)]).toEqual([3, "example.invalid/app:2"]);
  });
});

describe("differences that are ignored", () => {
  const rule = { kind: "Deployment", name: "ap*" };

  test.each([
    { reason: "a path of tenon.yaml", rules: [{ ...rule, paths: ["/spec/replicas"] }], annotation: undefined },
    { reason: "a field manager of tenon.yaml", rules: [{ ...rule, managers: ["kubectl"] }], annotation: undefined },
    { reason: "a path in an annotation", rules: [], annotation: "/spec/replicas" },
    { reason: "a field manager in an annotation", rules: [], annotation: "flagger, kubectl" },
  ])("$reason: the field stays as others set it, and the rest is set", async ({ rules, annotation }) => {
    const options = { ignoreDifferences: rules };
    await world.run([image("1")], options);
    if (annotation !== undefined) run("annotate", "deployment", "app", `tenon.dev/ignore-differences=${annotation}`);
    scale(3);
    expect(await world.plan([image("1")], options)).toMatchObject({ actions: [], unchanged: 1, ignored: 1 });
    await world.run([image("2")], options);
    expect([await replicas(), valueAt(await read(), imageAt)]).toEqual([3, "example.invalid/app:2"]);
    calls.length = 0;
    await world.run([image("2")], options);
    expect(writesIn(calls)).toEqual([]);
  });

  test("a rule for another object ignores nothing", async () => {
    await world.run([image("1")]);
    scale(3);
    const rules = [{ kind: "Deployment", name: "other", paths: ["/spec/replicas"] }];
    expect((await world.plan([image("1")], { ignoreDifferences: rules })).actions).toHaveLength(1);
  });
});
