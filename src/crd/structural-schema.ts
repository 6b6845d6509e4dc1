import type { JsonValue } from "#base";

/** A CEL rule: https://kubernetes.io/docs/reference/kubernetes-api/apiextensions/v1/ValidationRule */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression?: string;
  /** Below the value that carries the rule, such as `.max`. */
  readonly fieldPath?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly optionalOldSelf?: boolean;
}

/** The part that is also allowed below `allOf`, `oneOf` and `not`: it restricts values and does not define structure. */
export interface ValueValidation {
  readonly format?: string;
  readonly enum?: readonly JsonValue[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: true;
  readonly maximum?: number;
  readonly exclusiveMaximum?: true;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ValueValidation>>;
  readonly allOf?: readonly ValueValidation[];
  readonly anyOf?: readonly ValueValidation[];
  readonly oneOf?: readonly ValueValidation[];
  readonly not?: ValueValidation;
}

export type StructuralType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/**
 * The part of OpenAPI v3 that a CustomResourceDefinition may use:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export interface StructuralSchema extends ValueValidation {
  readonly type?: StructuralType;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly nullable?: true;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-embedded-resource"?: true;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}
