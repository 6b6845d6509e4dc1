export { atomicList, atomicMap, listMap, listSet, sized } from "./collections.ts";
export {
  type CustomResourceDefinition,
  isOwnDefinition,
  toCustomResourceDefinition,
} from "./custom-resource-definition.ts";
export {
  defineKind,
  type Kind,
  type KindDefinition,
  type KindObject,
  type KindVersion,
  type ObjectOf,
  type PrinterColumn,
} from "./define-kind.ts";
export { type Installed, type InstallOptions, installKinds } from "./install-kinds.ts";
export { dnsLabel, dnsName, duration, embeddedResource, httpUrl, intOrString, quantity } from "./kube-values.ts";
export type { StructuralSchema, ValidationRule } from "./structural-schema.ts";
export { toReference } from "./to-reference.ts";
export { toStructuralSchema } from "./to-structural-schema.ts";
export { type CheckedRule, validations } from "./validations.ts";
