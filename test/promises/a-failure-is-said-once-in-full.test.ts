import { spawnSync } from "node:child_process";
import { beforeAll, describe, test } from "vitest";
import { clusterHome, inspectBinary } from "#cluster";
import { conditionOf } from "#coupling";
import { configMapTemplate, testKubeconfig, useCoupling } from "#harness";
import type { KubeObject, ObjectRef } from "#kube";

const world = useCoupling();
const { app, prov } = world;
const { kubectl } = await inspectBinary(clusterHome());
const on = (name: string) => ({ socket: { name, namespace: prov } });
const powerless = "powerless";
const refused = { serviceAccountName: powerless, resources: [{ template: configMapTemplate("refused") }] };
// Another object: of one that another plug claims, a plug reads first who has it, and is refused that.
const refusedAtCreated = {
  ...refused,
  resources: [{ when: ["created"], template: configMapTemplate("refused-at-created") }],
};

beforeAll(async () => {
  const metadata = { name: powerless };
  for (const namespace of [app, prov]) {
    await world.client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata, namespace } });
  }
  await world.client.create({ ...configMapTemplate("of-others"), metadata: { name: "of-others", namespace: app } });
  await world.apply(
    world.socket("s-sound", {}),
    world.socket("s-refused", refused),
    world.socket("s-created", refusedAtCreated),
    world.socket("s-strict", { interface: { config: { plug: { must: { required: true } } } } }),
    world.socket("s-unsound", { validation: { namespaceWhitelist: ["("] } }),
    world.plug("p-refused", { ...on("s-sound"), ...refused }),
    world.plug("p-socket", on("s-refused")),
    world.plug("p-config", on("s-strict")),
    world.plug("p-created", { ...on("s-sound"), ...refusedAtCreated }),
    deferred("d-refused", { serviceAccountName: powerless, resource: configMapTemplate("late") }),
  );
});

function deferred(name: string, spec: object): KubeObject {
  const { apiVersion } = world.plug(name, {});
  return { apiVersion, kind: "DeferredResource", metadata: { name, namespace: app }, spec };
}

function run(namespace: string, ...parameters: string[]): string {
  const flags = ["--kubeconfig", testKubeconfig(), "--namespace", namespace];
  const { status, stdout, stderr } = spawnSync(kubectl, [...parameters, ...flags], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** What an object that failed says, and what kubectl shows of the same version: a second attempt may fail at another call. */
async function show(ref: ObjectRef): Promise<{ why: string; described: string; listed: string }> {
  for (;;) {
    const failed = await world.waitFor(ref, (found) => failureOf(found)?.["status"] === "True");
    await world.flush();
    const [described = "", listed = ""] = ["describe", "get"].map((verb) =>
      run(ref.namespace ?? "", verb, ref.kind, ref.name),
    );
    const now = await world.client.get(ref);
    if (now?.metadata.resourceVersion === failed?.metadata.resourceVersion) {
      return { why: String(failureOf(failed)?.["message"]), described, listed };
    }
  }
}

function failureOf(found: KubeObject | undefined) {
  return found && conditionOf(found, "Failed");
}

describe.concurrent("a failure is said once in full", () => {
  test.for([
    { kind: "Plug", name: "p-refused", reason: "a plug whose service account may not create its object" },
    { kind: "Plug", name: "p-socket", reason: "a plug whose socket's service account may not create an object" },
    { kind: "Plug", name: "p-config", reason: "a plug without a required key" },
    { kind: "Plug", name: "p-created", reason: "a plug whose stage created fails" },
    { kind: "Socket", name: "s-created", reason: "a socket whose stage created fails" },
    { kind: "Socket", name: "s-unsound", reason: "a socket with an expression that is not valid" },
    { kind: "DeferredResource", name: "d-refused", reason: "a DeferredResource whose object is refused" },
  ] as const)(
    "kubectl describe shows why it failed once, and kubectl get shows it: $reason",
    async ({ kind, name }, { expect }) => {
      const namespace = kind === "Socket" ? prov : app;
      const ref = { ...world.ref("Plug", name), kind, namespace };
      const { why, described, listed } = await show(ref);
      expect(described.split(why), described).toHaveLength(2);
      // Nor in other words: what is refused or missing is named once.
      const [cause = why] = /(?:cannot (?:get|patch)|property '\w+').*/.exec(why) ?? [];
      expect(described.split(cause.slice(0, 24)), described).toHaveLength(2);
      expect(listed).toContain(why);
    },
  );
});
