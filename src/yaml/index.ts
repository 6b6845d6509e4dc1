export { explainYamlProblem } from "./explain-yaml-problem.ts";
export { locateInYaml } from "./locate-in-yaml.ts";
export {
  type ExactJsonValue,
  parseExactYamlDocuments,
  parseYaml,
  parseYamlDocuments,
  type YamlDocument,
  type YamlOptions,
} from "./parse-yaml.ts";
export type { YamlLibrary } from "./node-builder.ts";
export { readFirstYamlDocument, similarDocumentReader } from "./read-yaml.ts";
export { isPlainYamlString } from "./resolve-scalar.ts";
export { WholeFloat } from "./resolve-scalar.ts";
export {
  readSourceNodes,
  type SourceEntry,
  type SourceList,
  type SourceMap,
  type SourceNode,
  type SourceScalar,
} from "./source-nodes.ts";
export { YamlProblem } from "./yaml-problem.ts";
export { writeYaml } from "./write-yaml.ts";
export { YamlEntries, YamlPlainText, type YamlDialect, type YamlShape, YamlWriter } from "./yaml-writer.ts";
export { findYamlSurprises, type SurpriseKind, type YamlSurprise } from "./yaml-surprise.ts";
export { isYamlMap } from "./yaml-value.ts";
