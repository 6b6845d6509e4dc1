export { builtins } from "./builtins.ts";
export type { IsOwn } from "./foreign-actions.ts";
export { ForeignOutput, type Insertion } from "./foreign-output.ts";
export type { MissingKey } from "./frame.ts";
export { SecretMarks, SecretWatch } from "./secret-marks.ts";
export { TemplateError } from "./template-error.ts";
export {
  type Execution,
  type ParseOptions,
  type Template,
  TemplateSet,
  type TemplateSetOptions,
} from "./template-set.ts";
