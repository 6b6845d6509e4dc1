export { builtins } from "./builtins.ts";
export type { IsAuthorData } from "./untrusted-actions.ts";
export { PlaceholderOutput, type UntrustedInsertion } from "./placeholder-output.ts";
export type { MissingKey } from "./frame.ts";
export { SecretMarks, TaintTracker } from "./secret-marks.ts";
export { isExhaustion, TemplateError } from "./template-error.ts";
export {
  type Execution,
  type ParseOptions,
  type Template,
  TemplateSet,
  type TemplateSetOptions,
} from "./template-set.ts";
