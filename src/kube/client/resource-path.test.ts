import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { InputError } from "#base";
import { fc } from "#seeded";
import { checkSegments, creationPath, objectPath, pathSegment, selectionPath } from "./resource-path.ts";

const configMaps = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", isNamespaced: true };
const clusterRoles = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "clusterroles",
  kind: "ClusterRole",
  isNamespaced: false,
};

describe("paths", () => {
  it.each([
    {
      reason: "core group, namespaced",
      path: objectPath(configMaps, { namespace: "shop", name: "a" }),
      expected: "/api/v1/namespaces/shop/configmaps/a",
    },
    {
      reason: "a subresource",
      path: objectPath(configMaps, { namespace: "shop", name: "a", subresource: "status" }),
      expected: "/api/v1/namespaces/shop/configmaps/a/status",
    },
    {
      reason: "names of RBAC objects may have colons",
      path: objectPath(clusterRoles, { name: "system:node" }),
      expected: "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
    },
    {
      reason: "charts give namespaces to objects that have none, and the server ignores that",
      path: objectPath(clusterRoles, { namespace: "shop", name: "a" }),
      expected: "/apis/rbac.authorization.k8s.io/v1/clusterroles/a",
    },
    { reason: "creation", path: creationPath(configMaps, "shop"), expected: "/api/v1/namespaces/shop/configmaps" },
    { reason: "all namespaces", path: selectionPath(configMaps, undefined), expected: "/api/v1/configmaps" },
    {
      reason: "one namespace",
      path: selectionPath(configMaps, "shop"),
      expected: "/api/v1/namespaces/shop/configmaps",
    },
  ])("$reason: $expected", ({ path, expected }) => {
    expect(path).toBe(expected);
  });

  it("asks for the namespace of an object that is in one", () => {
    expect(() => objectPath(configMaps, { name: "a" })).toThrow(
      new InputError("an object of kind ConfigMap is in a namespace, but none is given", {
        where: "ConfigMap a",
        next: "give its metadata.namespace",
      }),
    );
    expect(() => creationPath(configMaps, undefined)).toThrow(InputError);
  });

  it("never selects more than asked for", () => {
    expect(() => selectionPath(clusterRoles, "shop")).toThrow(InputError);
    expect(() => selectionPath(configMaps, "")).toThrow(InputError);
  });
});

describe("pathSegment", () => {
  it.each([
    { reason: "empty", text: "" },
    { reason: "this folder", text: "." },
    { reason: "the folder above", text: ".." },
    { reason: "climbs", text: "../x" },
    { reason: "two segments", text: "a/b" },
    { reason: "a slash that is encoded already", text: "a%2Fb" },
    { reason: "a line break", text: "a\nb" },
    { reason: "NUL", text: "a\0" },
    { reason: "delete", text: "a\u007f" },
    { reason: "half a character", text: "a\ud800" },
    { reason: "a number, where YAML made one of a name", text: JSON.parse("7") },
  ])("refuses $reason", ({ text }) => {
    expect(() => pathSegment(text, "a name")).toThrow(InputError);
    expect(() => checkSegments({ name: text })).toThrow(InputError);
    expect(() => checkSegments({ namespace: text })).toThrow(InputError);
    expect(() => checkSegments({ subresource: text })).toThrow(InputError);
  });

  it("whatever the name: refused, or one segment that reads back as that name", () => {
    const dangerous = [
      "./",
      "..",
      ".",
      "/",
      "%",
      "%2f",
      "?",
      "#",
      "\\",
      " ",
      "\t",
      "\n",
      "\0",
      ":",
      "@",
      ";",
      "=",
      "&",
    ];
    const hostile = fc.string({
      unit: fc.oneof(fc.constantFrom(...dangerous), fc.string({ unit: "binary", minLength: 1, maxLength: 1 })),
      maxLength: 12,
    });
    const outcomes = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(hostile, (name) => {
        const path = pathOrRefusal(name);
        outcomes[path === undefined ? "refused" : "accepted"] += 1;
        const url = new URL(path ?? "/", "http://localhost");
        const segments = url.pathname.split("/").map(decodeURIComponent);
        return (
          path === undefined ||
          (url.search + url.hash === "" &&
            isDeepStrictEqual(segments, ["", "api", "v1", "namespaces", "shop", "configmaps", name]))
        );
      }),
      { numRuns: 500 },
    );
    expect(outcomes.accepted).toBeGreaterThan(20);
    expect(outcomes.refused).toBeGreaterThan(20);
  });
});

/** Undefined when refused; anything but an InputError is a failure. */
function pathOrRefusal(name: string): string | undefined {
  try {
    return objectPath(configMaps, { namespace: "shop", name });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
