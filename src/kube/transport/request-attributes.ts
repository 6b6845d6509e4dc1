import type { KubeRequest } from "./request.ts";

/** What an authorizer sees of a request to a resource: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes */
export interface RequestAttributes {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const resourcePath = /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+\/(?<rest>.+)$/;
const ownSubresourcesOfNamespaces = new Set(["status", "finalize"]);

/** Undefined for paths without a resource, like `/version`. */
export function requestAttributes({ method, path, query }: KubeRequest): RequestAttributes | undefined {
  const { group = "", rest } = resourcePath.exec(path)?.groups ?? {};
  if (rest === undefined) return undefined;
  const { namespace, resource, name, subresource } = splitSegments(rest.split("/").map(decodeSegment));
  if (resource === undefined) return undefined;
  return {
    verb: verbOf(method, name !== undefined, String(query?.["watch"] ?? "") === "true"),
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

interface Segments {
  readonly namespace?: string | undefined;
  readonly resource?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** A namespace is an object itself, and the paths below it are mostly of other resources. */
function splitSegments(segments: readonly string[]): Segments {
  const [first, namespace, third] = segments;
  if (first === "namespaces" && third !== undefined && !ownSubresourcesOfNamespaces.has(third)) {
    const [resource, name, subresource] = segments.slice(2);
    return { namespace, resource, name, subresource };
  }
  const [resource, name, subresource] = segments;
  return resource === "namespaces" ? { namespace: name, resource, name, subresource } : { resource, name, subresource };
}

function verbOf(method: KubeRequest["method"], isNamed: boolean, isWatch: boolean): string {
  if (method === "GET" && isWatch) return "watch";
  const verbs = {
    GET: isNamed ? "get" : "list",
    POST: "create",
    PUT: "update",
    PATCH: "patch",
    DELETE: isNamed ? "delete" : "deletecollection",
  };
  return verbs[method];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
