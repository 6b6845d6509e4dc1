export type {
  Bundle,
  BundleReading,
  BundleSource,
  SourceChanges,
  Datafile,
  FilePart,
  OriginalFile,
  Queryable,
  QueryAnswer,
  QueryError,
  ResourceFile,
  UnreadableFile,
} from "./bundle.ts";
export {
  createQueryable,
  type QueryableBundle,
  type QueryableOptions,
  type QueryRequest,
} from "./graphql/create-queryable.ts";
export { readJsonScalar } from "./graphql/json-scalar.ts";
export {
  type LoadedData,
  openQueryableSource,
  type QueryableSourceOptions,
  type QueryableSource,
  type ReadableSource,
  type UnparsedData,
} from "./graphql/open-queryable-source.ts";
export { describeQueryError, QueryFailure, runTypedQuery, type TypedQuery } from "./graphql/typed-query.ts";
export { openServerSource, type ServerSourceOptions } from "./graphql/server-source.ts";
export { generateTypes } from "./typescript/generate-types.ts";
export { builtInDescription, builtInSchemas } from "./schema/built-in.ts";
export { parseBundle } from "./source/bundle-file.ts";
export { integrationSchema } from "./source/legacy-forms.ts";
export { type BundleSourceOptions, isServerAddress, openBundleSource } from "./source/open-bundle-source.ts";
export {
  type BundleDiff,
  datafileJson,
  diffBundles,
  diffJson,
  type FileChange,
  resourceJson,
} from "./diff/diff-bundles.ts";
export { type DiffRow, diffRows } from "./diff/diff-rows.ts";
export { diffValues, type ValueChange } from "./diff/diff-values.ts";
export { writeBundle } from "./write/write-bundle.ts";
export { checkIntegration, type IntegrationIssue } from "./validate/check-integration.ts";
export { findOrderProblems, type OrderProblem } from "./validate/check-order.ts";
export { parseCron } from "./validate/parse-cron.ts";
export { BundleValidator, type BundleValidation } from "./validate/bundle-validator.ts";
export type { BundleFinding, FindingKind, FindingReason } from "./validate/bundle-finding.ts";
export {
  errorRow,
  type ReportedFinding,
  reportFindings,
  type ResultRow,
  resultRows,
  type ValidationReport,
} from "./validate/report-findings.ts";
export {
  type FieldDescription,
  type InterfaceResolve,
  parseTypeDescriptions,
  type TypeDescription,
} from "./type-description.ts";
