import { describe, expect, it } from "vitest";
import { InputError } from "#base";
import { ApiCatalog } from "./api-catalog.ts";
import { readApiGroups } from "./api-group.ts";

function resource(plural: string, kind: string, more: object = {}): object {
  return {
    resource: plural,
    responseKind: { group: "", version: "", kind },
    scope: "Namespaced",
    verbs: ["get", "list"],
    ...more,
  };
}

const document = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            resource("pods", "Pod", {
              singularResource: "pod",
              shortNames: ["po"],
              categories: ["all"],
              subresources: [
                { subresource: "log", responseKind: { kind: "Pod" }, verbs: ["get"] },
                { subresource: "binding", verbs: ["create"] },
              ],
            }),
            resource("namespaces", "Namespace", { scope: "Cluster", shortNames: ["ns"] }),
            resource("events", "Event", { shortNames: ["ev"] }),
          ],
        },
      ],
    },
    {
      metadata: { name: "events.k8s.io" },
      versions: [
        { version: "v1", freshness: "Current", resources: [resource("events", "Event", { shortNames: ["ev"] })] },
      ],
    },
    {
      metadata: { name: "tenon.dev" },
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            resource("plugs", "Plug", { shortNames: ["pl"] }),
            resource("po", "Post", { singularResource: "post" }),
          ],
        },
        {
          version: "v1alpha1",
          freshness: "Current",
          resources: [
            resource("plugs", "Plug", { shortNames: ["pl"] }),
            resource("sockets", "Socket"),
            { resource: "onlyparts", scope: "Namespaced", verbs: [] },
          ],
        },
      ],
    },
    { metadata: { name: "metrics.k8s.io" }, versions: [{ version: "v1beta1", freshness: "Stale" }] },
  ],
};

const catalog = new ApiCatalog("dev", readApiGroups(document) ?? []);

describe("find", () => {
  it("find returns the resource of a kind", () => {
    expect(catalog.find({ apiVersion: "v1", kind: "Pod" })).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      group: "",
      version: "v1",
      plural: "pods",
      singular: "pod",
      shortNames: ["po"],
      categories: ["all"],
      isNamespaced: true,
      verbs: ["get", "list"],
      subresources: [
        { name: "log", verbs: ["get"] },
        { name: "binding", verbs: ["create"] },
      ],
    });
    expect(catalog.find({ apiVersion: "v1", kind: "Namespace" })).toMatchObject({ isNamespaced: false });
    expect(catalog.find({ apiVersion: "tenon.dev/v1alpha1", kind: "Plug" })).toMatchObject({ version: "v1alpha1" });
    expect(catalog.preferredVersion("tenon.dev")).toBe("v1");
  });

  it.each([
    { reason: "a typing mistake", apiVersion: "tenon.dev/v1", kind: "Plgu", says: "did you mean Plug?" },
    {
      reason: "another version",
      apiVersion: "tenon.dev/v1",
      kind: "Socket",
      says: "serves Socket as tenon.dev/v1alpha1, not as tenon.dev/v1; write apiVersion: tenon.dev/v1alpha1",
    },
    {
      reason: "a version that is not served",
      apiVersion: "tenon.dev/v2",
      kind: "Plug",
      says: "write apiVersion: tenon.dev/v1",
    },
    {
      reason: "a kind the group does not have",
      apiVersion: "tenon.dev/v1",
      kind: "Policy",
      says: "install its CustomResourceDefinition (policies.tenon.dev or the like)",
    },
    {
      reason: "a group with a typing mistake",
      apiVersion: "tenno.dev/v1",
      kind: "Plug",
      says: 'has no API group "tenno.dev"; did you mean tenon.dev?',
    },
    {
      reason: "a group that is not served",
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      says: "or install what defines it",
    },
    {
      reason: "a core kind that is not served",
      apiVersion: "v1",
      kind: "Deployment",
      says: "cluster dev has no kind Deployment in the core API group; correct the kind",
    },
    { reason: "another case", apiVersion: "v1", kind: "pod", says: "did you mean Pod?" },
  ])("find explains $reason", ({ apiVersion, kind, says }) => {
    expect(catalog.find({ apiVersion, kind })).toBeUndefined();
    const error = catalog.explainMissing({ apiVersion, kind });
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain(`${apiVersion} ${kind}: cluster dev`);
    expect(error.message).toContain(says);
  });

  it("find throws no InputError while an API is down", () => {
    const error = catalog.explainMissing({ apiVersion: "metrics.k8s.io/v1beta1", kind: "PodMetrics" });
    expect(error).not.toBeInstanceOf(InputError);
    expect(error.message).toContain('"kubectl get apiservice v1beta1.metrics.k8s.io" says why');
  });
});

describe("findByName", () => {
  it.each([
    { reason: "plural", name: "pods", found: "v1 Pod" },
    { reason: "singular", name: "pod", found: "v1 Pod" },
    { reason: "kind, in any case", name: "POD", found: "v1 Pod" },
    { reason: "singular guessed from the kind", name: "plug", found: "tenon.dev/v1 Plug" },
    { reason: "short name", name: "pl", found: "tenon.dev/v1 Plug" },
    { reason: "a full name wins against a short one", name: "po", found: "tenon.dev/v1 Post" },
    { reason: "groups have an order", name: "events", found: "v1 Event" },
    { reason: "with a group", name: "events.events.k8s.io", found: "events.k8s.io/v1 Event" },
    { reason: "with version and group", name: "plugs.v1alpha1.tenon.dev", found: "tenon.dev/v1alpha1 Plug" },
    { reason: "core with a version", name: "pods.v1", found: "v1 Pod" },
    { reason: "only in a version that is not preferred", name: "sockets", found: "tenon.dev/v1alpha1 Socket" },
  ])("findByName finds $found by $name: $reason", ({ name, found }) => {
    const { apiVersion, kind } = catalog.findByName(name) ?? {};
    expect(`${apiVersion} ${kind}`).toBe(found);
  });

  it("findByName suggests the nearest name, and lists APIs that are down", () => {
    expect(catalog.findByName("plugss")).toBeUndefined();
    const { message } = catalog.explainUnknownName("plugss");
    expect(message).toContain("did you mean plugs?");
    expect(message).toContain("(APIs that do not answer: v1beta1.metrics.k8s.io)");
  });
});

it("accepts only aggregated discovery", () => {
  expect(readApiGroups({ kind: "APIGroupList", apiVersion: "v1", groups: [] })).toBeUndefined();
  expect(readApiGroups(undefined)).toBeUndefined();
});

it("skips malformed resources and keeps the rest", () => {
  const resources = [
    null,
    { resource: "odds" },
    { resource: 1, responseKind: { kind: "Odd" } },
    resource("pods", "Pod"),
  ];
  const versions = [{ version: "v1", resources }, "v2", { version: "v3", resources: "none" }];
  const items = [{ metadata: {}, versions }, 7, {}];
  const groups = readApiGroups({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items });
  const kinds = groups?.map(({ versions: served }) =>
    served.map((version) => version.resources.map(({ kind }) => kind)),
  );
  expect(kinds).toEqual([[["Pod"], []], []]);
});
