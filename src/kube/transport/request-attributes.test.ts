import { expect, test } from "vitest";
import type { KubeRequest } from "./request.ts";
import { requestAttributes } from "./request-attributes.ts";

const rows: { reason: string; request: KubeRequest; attributes: unknown }[] = [
  {
    reason: "a namespaced object",
    request: { method: "GET", path: "/api/v1/namespaces/x/pods/p" },
    attributes: { verb: "get", group: "", resource: "pods", namespace: "x", name: "p" },
  },
  {
    reason: "its subresource",
    request: { method: "POST", path: "/api/v1/namespaces/x/pods/p/eviction" },
    attributes: { verb: "create", group: "", resource: "pods/eviction", namespace: "x", name: "p" },
  },
  {
    reason: "all of a group's resource in a cluster",
    request: { method: "GET", path: "/apis/apps/v1/deployments", query: { limit: 1 } },
    attributes: { verb: "list", group: "apps", resource: "deployments" },
  },
  {
    reason: "a watch",
    request: { method: "GET", path: "/apis/apps/v1/namespaces/x/deployments", query: { watch: true } },
    attributes: { verb: "watch", group: "apps", resource: "deployments", namespace: "x" },
  },
  {
    reason: "a namespace itself, which is in itself",
    request: { method: "DELETE", path: "/api/v1/namespaces/x" },
    attributes: { verb: "delete", group: "", resource: "namespaces", namespace: "x", name: "x" },
  },
  {
    reason: "a namespace's own subresource",
    request: { method: "PUT", path: "/api/v1/namespaces/x/finalize" },
    attributes: { verb: "update", group: "", resource: "namespaces/finalize", namespace: "x", name: "x" },
  },
  {
    reason: "many at once",
    request: { method: "DELETE", path: "/api/v1/namespaces/x/pods" },
    attributes: { verb: "deletecollection", group: "", resource: "pods", namespace: "x" },
  },
  {
    reason: "an encoded name",
    request: { method: "PATCH", path: "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode" },
    attributes: { verb: "patch", group: "rbac.authorization.k8s.io", resource: "clusterroles", name: "system:node" },
  },
  { reason: "no resource", request: { method: "GET", path: "/version" }, attributes: undefined },
  { reason: "discovery", request: { method: "GET", path: "/apis/apps" }, attributes: undefined },
];

test.each(rows)("an authorizer sees $reason", ({ request, attributes }) => {
  expect(requestAttributes(request)).toEqual(attributes);
});
