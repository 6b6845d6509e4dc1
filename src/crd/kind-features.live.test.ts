import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { valueAt } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { connectRaw, installLive, type LiveCrd } from "./live-crd.fixture.ts";
import { toyWidget } from "./toy-widget.fixture.ts";

const { namespace } = useNamespace();
const api = await connectRaw(testKubeconfig());
const group = `k${crypto.randomUUID().slice(0, 8)}.tenon.test`;
const Widget = toyWidget(group);
const widgets = `/apis/${group}/v1alpha1/namespaces/${namespace}/widgets`;
let crd: LiveCrd | undefined;

function widget(name: string, spec: Record<string, unknown>) {
  return { apiVersion: Widget.apiVersion, kind: "Widget", metadata: { name }, spec: { owner: "team-a", ...spec } };
}

beforeAll(async () => {
  crd = await installLive(api, toCustomResourceDefinition(Widget), namespace);
  const made = await api.call("POST", widgets, widget("first", {}));
  if (made.status !== 201) throw new Error(made.message);
});

afterAll(async () => {
  await crd?.[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

describe("a kind on the server", () => {
  test("is read back as the type that its schema infers, defaults filled in", async () => {
    const { body } = await api.call("GET", `${widgets}/first`);
    const read = Widget.parse(body);
    expect(read.spec).toStrictEqual({ owner: "team-a", size: "Small", minReplicas: 1, memory: "64Mi" });
    expect(read.metadata.namespace).toBe(namespace);
  });

  test("has its short names, categories and subresources", async () => {
    const { body } = await api.call("GET", `/apis/${group}/v1alpha1`);
    const { resources } = z.object({ resources: z.array(z.looseObject({ name: z.string() })) }).parse(body);
    expect(resources.map(({ name }) => name).toSorted()).toStrictEqual(["widgets", "widgets/scale", "widgets/status"]);
    expect(resources.find(({ name }) => name === "widgets")).toMatchObject({
      shortNames: ["wd"],
      categories: ["toys"],
    });
  });

  test("has its columns", async () => {
    const { body } = await api.call("GET", widgets, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io");
    expect(body).toMatchObject({
      columnDefinitions: [
        { name: "Name" },
        { name: "Size", type: "string", priority: 0, description: "How large it is." },
        { name: "Owner", priority: 1 },
      ],
      rows: [{ cells: ["first", "Small", "team-a"] }],
    });
  });

  test("is found by its selectable fields", async () => {
    const found = await api.call("GET", `${widgets}?fieldSelector=spec.owner%3Dteam-a`);
    expect(valueAt(found.body, ["items", 0, "metadata", "name"])).toBe("first");
    const none = await api.call("GET", `${widgets}?fieldSelector=spec.owner%3Dteam-b`);
    expect(none.body["items"]).toStrictEqual([]);
  });

  test("keeps status apart from spec", async () => {
    const { body } = await api.call("GET", `${widgets}/first`);
    const ignored = await api.call("PUT", `${widgets}/first`, { ...body, status: { replicas: 3 } });
    expect(ignored.body["status"]).toBeUndefined();
    const refused = await api.call("PUT", `${widgets}/first/status`, { ...ignored.body, status: { replicas: -1 } });
    expect(refused.message).toContain("status.replicas");
    const written = await api.call("PUT", `${widgets}/first/status`, { ...ignored.body, status: { replicas: 3 } });
    expect(written.body["status"]).toStrictEqual({ replicas: 3 });
    const scale = await api.call("GET", `${widgets}/first/scale`);
    expect(scale.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 3 } });
  });

  test("holds to its rules: across fields, over time and for the name", async () => {
    const across = await crd?.tryOut(widget("second", { minReplicas: 3, maxReplicas: 2 }));
    expect(across?.message).toMatch(/spec\.minReplicas: .*minReplicas is at most maxReplicas/);
    const { body } = await api.call("GET", `${widgets}/first`);
    const moved = await api.call("PUT", `${widgets}/first`, { ...body, spec: { owner: "team-b" } });
    expect(moved.message).toMatch(/spec\.owner: .*cannot change/);
    const long = await crd?.tryOut(widget("n".repeat(41), {}));
    expect(long?.message).toContain("the name has at most 40 characters");
  });
});
