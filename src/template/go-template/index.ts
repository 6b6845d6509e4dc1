export { builtins } from "./builtins.ts";
export type { ActionObserver, ActionRun } from "./action-observer.ts";
export { OutputBuffer } from "./output-buffer.ts";
export {
  type ActionNode,
  type BranchNode,
  type Expression,
  nodeText,
  partsOf,
  type PipeNode,
  type Statement,
  type Tree,
  withoutParentheses,
} from "./syntax-tree.ts";
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
export { type MissingRead, MissingReads } from "./missing-reads.ts";
