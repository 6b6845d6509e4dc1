import { InputError } from "#base";
import { describeObject, namespaceOf, type Plug, type Socket } from "../../kinds/index.ts";

/** Where Tenon calls an apparatus. */
export type Address =
  /** At the Service of its own pod, below this path. */
  | { readonly kind: "own"; readonly prefix: string }
  /** At a service that Tenon does not run. Without a trailing slash. */
  | { readonly kind: "elsewhere"; readonly base: string };

interface AddressOptions {
  readonly clusterDomain: string;
  /** Called instead of the object's endpoint. */
  readonly debugEndpoint?: string | undefined;
}

/** Where the apparatus of an object is; undefined if it has none. */
export function addressOf(object: Plug | Socket, options: AddressOptions): Address | undefined {
  const { apparatus } = object.spec;
  if (!apparatus) return undefined;
  const { clusterDomain, debugEndpoint } = options;
  const { endpoint = "", containers = [] } = apparatus;
  const where = `${describeObject(object)} spec.apparatus.endpoint`;
  if (debugEndpoint !== undefined) return elsewhere(debugEndpoint, "the debug endpoint");
  if (endpoint === "" || endpoint.startsWith("/")) {
    if (containers.length > 0) return { kind: "own", prefix: pathOf(readUrl(`http://own${endpoint}`, where)) };
    throw new InputError("is a path, but spec.apparatus has no containers to run", {
      where,
      next: "set spec.apparatus.containers, or the URL of a running service",
    });
  }
  const address = elsewhere(endpoint, where);
  const url = new URL(address.base);
  const isOwn = containers.length > 0 && ownHosts(object, clusterDomain).includes(url.host);
  return isOwn ? { kind: "own", prefix: pathOf(url) } : address;
}

/** The DNS name of the Service of an own pod. */
export function serviceHost(name: string, namespace: string, clusterDomain: string): string {
  return `${name}.${namespace}.svc.${clusterDomain}`;
}

function ownHosts(object: Plug | Socket, clusterDomain: string): string[] {
  const name = `${object.metadata.name}-apparatus`;
  const namespace = namespaceOf(object);
  return [`${name}.${namespace}.svc`, serviceHost(name, namespace, clusterDomain)];
}

function elsewhere(endpoint: string, where: string): Extract<Address, { kind: "elsewhere" }> {
  const url = readUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint) ? endpoint : `http://${endpoint}`, where);
  return { kind: "elsewhere", base: `${url.origin}${pathOf(url)}` };
}

function readUrl(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new InputError("is not an http or https URL", {
      where,
      next: "write it like http://name.namespace.svc/path",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new InputError("contains a user name or a password", {
      where,
      next: "remove it: Tenon sends a token of its own",
    });
  }
  if (url.search !== "" || url.hash !== "") {
    throw new InputError("contains a query or a fragment", {
      where,
      next: "use a plain path: Tenon appends the stage to it",
    });
  }
  return url;
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, "");
}
