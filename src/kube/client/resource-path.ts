import { InputError } from "#base";

/** The parts of a resource that its URLs consist of. */
export interface ResourceLocation {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export interface PathOptions {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Refuses invalid names before any request is sent, discovery included. */
export function checkSegments({ namespace, name, subresource }: PathOptions): void {
  if (namespace !== undefined) pathSegment(namespace, "a namespace");
  if (name !== undefined) pathSegment(name, "a name");
  if (subresource !== undefined) pathSegment(subresource, "a subresource");
}

/** The path of an object; the namespace of a kind that has none is ignored, as the API server ignores it in objects. */
export function objectPath(resource: ResourceLocation, options: PathOptions & { readonly name: string }): string {
  return collectionPath(resource, resource.isNamespaced ? requireNamespace(resource, options) : undefined, [
    pathSegment(options.name, "a name"),
    ...(options.subresource === undefined ? [] : [pathSegment(options.subresource, "a subresource")]),
  ]);
}

/** The path where an object is created. */
export function creationPath(resource: ResourceLocation, namespace: string | undefined): string {
  return collectionPath(resource, resource.isNamespaced ? requireNamespace(resource, { namespace }) : undefined);
}

/** The path of all objects, in one namespace or in all. Never wider than requested. */
export function selectionPath(resource: ResourceLocation, namespace: string | undefined): string {
  if (namespace !== undefined && !resource.isNamespaced) {
    throw new InputError(
      `objects of kind ${resource.kind} have no namespace, got namespace ${JSON.stringify(namespace)}`,
      {
        next: "leave the namespace out to select from the whole cluster",
      },
    );
  }
  return collectionPath(resource, namespace);
}

/** Nearly all names match this and need neither encoding nor checks. */
const ordinary = /^[a-z0-9][-.a-z0-9]*$/;

/**
 * A segment of a URL's path, encoded. Refuses what the API server refuses in names, and what would change the meaning of
 * the path: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#path-segment-names
 */
export function pathSegment(text: string, role: string): string {
  if (typeof text === "string" && ordinary.test(text)) return text;
  const fault = faultIn(text);
  if (fault === undefined) return encodeURIComponent(text);
  throw new InputError(`${role} ${fault}`, { where: JSON.stringify(text), next: "use a valid Kubernetes name" });
}

function faultIn(text: unknown): string | undefined {
  if (typeof text !== "string") return "must be text";
  if (text === "") return "must not be empty";
  if (text === "." || text === "..") return `must not be "${text}"`;
  if (/[/%]/.test(text)) return 'must not contain "/" or "%"';
  if (/\p{Cc}/u.test(text)) return "must not contain control characters";
  return text.isWellFormed() ? undefined : "must be well-formed Unicode";
}

function collectionPath(
  resource: ResourceLocation,
  namespace: string | undefined,
  rest: readonly string[] = [],
): string {
  const { group, version, plural } = resource;
  const root = group === "" ? ["api"] : ["apis", pathSegment(group, "an API group")];
  const place = namespace === undefined ? [] : ["namespaces", pathSegment(namespace, "a namespace")];
  const path = [...root, pathSegment(version, "an API version"), ...place, pathSegment(plural, "a resource"), ...rest];
  return `/${path.join("/")}`;
}

function requireNamespace({ kind }: ResourceLocation, { namespace, name }: PathOptions): string {
  if (namespace !== undefined) return namespace;
  throw new InputError(`an object of kind ${kind} is in a namespace, but none is given`, {
    ...(name === undefined ? {} : { where: `${kind} ${name}` }),
    next: "give its metadata.namespace",
  });
}
