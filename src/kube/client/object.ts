import { isRecord } from "#base";

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

/** As the API server sends it: timestamps are RFC 3339 text, and absent lists and maps are left out. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

/** An object of any kind. Only `apiVersion`, `kind` and `metadata.name` have been checked; callers parse the rest. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** An object to create; with `generateName`, the server makes the name. */
export interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMeta>;
  readonly [field: string]: unknown;
}

export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Names an object. The namespace of a kind that has none is ignored, as the API server ignores it. */
export interface ObjectRef extends KindRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Objects of one kind; without a namespace, those of all namespaces. */
export interface ObjectSelection extends KindRef {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects come with their metadata only, under their own apiVersion and kind. */
  readonly metadataOnly?: boolean | undefined;
}

export function refOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): ObjectRef {
  return { apiVersion, kind, namespace, name };
}

/** `namespace/name`, or `name` for an object without a namespace. */
export function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** For messages: `ConfigMap shop/settings`. */
export function describeRef({ kind, namespace, name }: Omit<ObjectRef, "apiVersion">): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Cheap enough for every object of a large list. */
export function hasMetadata(value: unknown): value is { readonly metadata: ObjectMeta } {
  return isRecord(value) && isRecord(value.metadata) && typeof value.metadata.name === "string";
}

export function isKubeObject(value: unknown): value is KubeObject {
  return (
    hasMetadata(value) &&
    "kind" in value &&
    typeof value.kind === "string" &&
    "apiVersion" in value &&
    typeof value.apiVersion === "string"
  );
}

/** The server accepts exactly six decimals: https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#MicroTime */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}
