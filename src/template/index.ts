export {
  compileTemplate,
  type ExecutableTemplate,
  type ExecuteOptions,
  type TemplateOptions,
} from "./compile-template.ts";

export {
  type Capabilities,
  type Chart,
  ChartError,
  type ChartFile,
  type ChartMetadata,
  type CrdFile,
  defaultCapabilities,
  type GivenValues,
  type Hook,
  type HookEvent,
  type KubeVersion,
  loadChart,
  type Lookup,
  type Manifest,
  mergeValueSources,
  parseKubeVersion,
  type Release,
  type ReleaseParts,
  type RenderChartOptions,
  type RenderedChart,
  readReleaseText,
  releaseText,
  renderChart,
  type SourcedText,
  selectionText,
  selectTemplates,
  type ValueSources,
} from "./helm/index.ts";

export { type Insertion, type IsOwn, SecretMarks, SecretWatch, TemplateError } from "./go-template/index.ts";

export {
  isTemplate,
  type ProcessedTemplate,
  type ProcessOptions,
  processTemplate,
} from "./openshift/process-template.ts";
export {
  type Apart,
  type Origin,
  PlugData,
  type PlugOptions,
  PlugTemplate,
  type Rendered,
  renderObject,
} from "./plug/index.ts";
