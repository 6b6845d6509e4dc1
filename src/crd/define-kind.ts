import { z } from "zod";
import { InputError } from "#base";
import { parseObject } from "./parse-object.ts";
import type { StructuralType, ValidationRule } from "./structural-schema.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: Exclude<StructuralType, "object" | "array"> | "date";
  /** Such as `.spec.size` or `.status.conditions[?(@.type=="Ready")].status`. */
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Columns above 0 are shown by `kubectl get -o wide` only. */
  readonly priority?: number;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The parts of a kind that may differ between its versions. */
export interface KindVersion<Spec extends z.ZodType = z.ZodType, Status extends z.ZodType = z.ZodType> {
  readonly version: string;
  readonly spec: Spec;
  /** Makes status a subresource, which needs separate requests and rights to write. */
  readonly status?: Status;
  /** CEL rules for the whole object; `self.metadata` has name and generateName. */
  readonly rules?: readonly ValidationRule[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** JSON paths to scalars that `kubectl get --field-selector` may use. */
  readonly selectableFields?: readonly string[];
  readonly scale?: ScaleSubresource;
  /** Served unless this is false. */
  readonly served?: boolean;
  /** The deprecation warning that users of the version see. */
  readonly deprecated?: string;
}

export interface KindDefinition<Spec extends z.ZodType = z.ZodType, Status extends z.ZodType = z.ZodType>
  extends KindVersion<Spec, Status> {
  readonly group: string;
  readonly kind: string;
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  /** Shown in the reference; each is parsed when the kind is defined. */
  readonly examples?: readonly { readonly title: string; readonly object: Readonly<Record<string, unknown>> }[];
  /** Served beside the version that Tenon works with. */
  readonly otherVersions?: readonly KindVersion[];
  /** The version that is stored, if it is not the one that Tenon works with. */
  readonly storageVersion?: string;
}

/** The metadata that Tenon reads; other fields are kept. */
const Metadata = z.looseObject({
  name: z.string(),
  generateName: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  generation: z.number().exactOptional(),
  creationTimestamp: z.string().exactOptional(),
  deletionTimestamp: z.string().exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  annotations: z.record(z.string(), z.string()).exactOptional(),
  finalizers: z.array(z.string()).exactOptional(),
});

function objectSchemaOf<Spec extends z.ZodType, Status extends z.ZodType>(
  { spec, status }: KindDefinition<Spec, Status>,
  apiVersion: string,
  kind: string,
) {
  return z.looseObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(kind),
    metadata: Metadata,
    spec,
    status: z.exactOptional(status ?? z.never()),
  });
}

export type KindObject<Spec extends z.ZodType = z.ZodType, Status extends z.ZodType = z.ZodType> = z.infer<
  ReturnType<typeof objectSchemaOf<Spec, Status>>
>;

/** One definition for the TypeScript type, the CustomResourceDefinition, the parser and the reference page. */
export interface Kind<Spec extends z.ZodType = z.ZodType, Status extends z.ZodType = z.ZodType> {
  readonly definition: KindDefinition<Spec, Status>;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** The name of its CustomResourceDefinition. */
  readonly crdName: string;
  /** Checks an object and fills in defaults; an InputError names every field that is wrong. */
  parse(object: unknown): KindObject<Spec, Status>;
}

/** The type of a kind's objects: `type Widget = ObjectOf<typeof Widget>`. */
export type ObjectOf<Any extends { parse(object: unknown): unknown }> = ReturnType<Any["parse"]>;

export function defineKind<Spec extends z.ZodType, Status extends z.ZodType = z.ZodNever>(
  definition: KindDefinition<Spec, Status>,
): Kind<Spec, Status> {
  const { group, version, kind, plural = pluralOf(kind), examples = [] } = definition;
  const apiVersion = `${group}/${version}`;
  checkNames(definition, plural);
  const schema = objectSchemaOf(definition, apiVersion, kind);
  const value: Kind<Spec, Status> = {
    definition,
    apiVersion,
    kind,
    plural,
    crdName: `${plural}.${group}`,
    parse: (object) => parseObject(schema, object, { apiVersion, kind }),
  };
  for (const { object } of examples) value.parse(object);
  return value;
}

const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;
const protectedGroup = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const versionName = /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/;

function checkNames(definition: KindDefinition, plural: string): void {
  const { group, kind, version, otherVersions = [], storageVersion = version } = definition;
  const where = `kind ${kind}`;
  const versions = [version, ...otherVersions.map((other) => other.version)];
  if (!dnsName.test(group) || protectedGroup.test(group)) {
    throw new InputError(`${JSON.stringify(group)} cannot be the group of a kind`, {
      where,
      next: "use your own domain in lower case, such as tenon.dev; those of Kubernetes are protected",
    });
  }
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind) || !/^[a-z][a-z0-9]{0,62}$/.test(plural)) {
    throw new InputError(`${JSON.stringify(kind)} or its plural ${JSON.stringify(plural)} cannot name a kind`, {
      where,
      next: "write the kind like Widget and its plural like widgets",
    });
  }
  const odd = versions.find((name, index) => !versionName.test(name) || versions.indexOf(name) !== index);
  if (odd !== undefined) {
    throw new InputError(`${JSON.stringify(odd)} is not a valid version, or is listed twice`, {
      where,
      next: "use v1, v1beta1, ...",
    });
  }
  if (!versions.includes(storageVersion)) {
    throw new InputError(`the storage version ${storageVersion} is not defined`, {
      where,
      next: `choose one of ${versions.join(", ")}`,
    });
  }
}

/** The plural in a URL, by the rules of kubebuilder. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
