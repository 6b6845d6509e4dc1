import { createHash } from "node:crypto";
import { InputError } from "#base";
import type { KubeObject } from "#kube";
import { checkRules } from "./validations.ts";
import type { Kind, KindVersion, PrinterColumn, ScaleSubresource } from "./define-kind.ts";
import { refusal } from "./refusal.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { toStructuralSchema } from "./to-structural-schema.ts";

/** The hash of the generated spec, to see whether this version of Tenon installed the definition. */
export const hashAnnotation = "tenon.dev/definition-hash";

/** Whether Tenon or its chart made a definition that is there, and not another product that has the same kind. */
export function isOwnDefinition({ metadata: { annotations = {} } }: KubeObject): boolean {
  return annotations[hashAnnotation] !== undefined;
}

export type CustomResourceDefinitionVersion = {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: { readonly status?: Record<string, never>; readonly scale?: ScaleSubresource };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
};

export type CustomResourceDefinition = {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions: readonly CustomResourceDefinitionVersion[];
  };
};

/** Throws an InputError that names the field if Kubernetes cannot express a schema. */
export function toCustomResourceDefinition({ definition, kind, plural, crdName }: Kind): CustomResourceDefinition {
  const { group, scope, singular = kind.toLowerCase(), shortNames = [], categories = [] } = definition;
  const { storageVersion = definition.version, otherVersions = [] } = definition;
  const spec = {
    group,
    scope,
    names: {
      kind,
      listKind: `${kind}List`,
      plural,
      singular,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
    },
    versions: [definition, ...otherVersions].map((version) =>
      toVersion(version, version.version === storageVersion, definition.description),
    ),
  };
  const hash = createHash("sha256").update(JSON.stringify(spec)).digest("hex").slice(0, 16);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdName, annotations: { [hashAnnotation]: hash } },
    spec,
  };
}

function toVersion(version: KindVersion, isStorage: boolean, description: string): CustomResourceDefinitionVersion {
  const {
    version: name,
    status,
    scale,
    deprecated,
    served = true,
    printerColumns = [],
    selectableFields = [],
  } = version;
  const schema = rootSchema(version, description);
  for (const { jsonPath } of printerColumns) checkJsonPath(jsonPath, schema);
  for (const jsonPath of [...selectableFields, ...Object.values(scale ?? {})]) checkJsonPath(jsonPath, schema);
  const subresources = { ...(status ? { status: {} } : {}), ...(scale ? { scale } : {}) };
  return {
    name,
    served,
    storage: isStorage,
    ...(deprecated === undefined ? {} : { deprecated: true, deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: schema },
    ...(status || scale ? { subresources } : {}),
    ...(printerColumns.length > 0 ? { additionalPrinterColumns: printerColumns } : {}),
    ...(selectableFields.length > 0 ? { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) } : {}),
  };
}

function rootSchema({ spec, status, rules = [] }: KindVersion, description: string): StructuralSchema {
  const properties = {
    spec: objectAt("spec", toStructuralSchema(spec, "spec")),
    ...(status ? { status: objectAt("status", toStructuralSchema(status, "status")) } : {}),
  };
  const root: StructuralSchema = {
    type: "object",
    description,
    properties,
    ...(spec._zod.optin === undefined ? { required: ["spec"] } : {}),
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
  checkRules(root, "the object");
  return root;
}

function objectAt(field: string, schema: StructuralSchema): StructuralSchema {
  if (schema.type === "object") return schema;
  throw refusal(field, `${field} must be an object`, "use z.object");
}

/** Without this check, a path to a missing field would leave a column or a replica count empty without an error. */
function checkJsonPath(jsonPath: string, root: StructuralSchema): void {
  const plain = /^(?:\.[A-Za-z_][\w-]*)+/.exec(jsonPath)?.[0];
  if (plain === undefined) throw wrongPath(jsonPath, "it does not start with a dot and a field");
  const [first = "", ...rest] = plain.slice(1).split(".");
  if (first === "metadata") return;
  let schema: StructuralSchema | undefined = root;
  for (const name of [first, ...rest]) {
    if (schema["x-kubernetes-preserve-unknown-fields"] || schema.additionalProperties) return;
    schema = schema.properties?.[name];
    if (!schema) throw wrongPath(jsonPath, `field ${name} not found`);
  }
}

function wrongPath(jsonPath: string, why: string): InputError {
  return new InputError(why, {
    where: `JSON path ${jsonPath}`,
    next: "write it like .spec.size or .status.ready",
  });
}
