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
  type ChartManifest,
  mergeValueSources,
  parseKubeVersion,
  type ChartRelease,
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

export {
  type UntrustedInsertion,
  type IsAuthorData,
  SecretMarks,
  TaintTracker,
  TemplateError,
} from "./go-template/index.ts";

export {
  isTemplate,
  type ProcessedTemplate,
  type ProcessOptions,
  processTemplate,
} from "./openshift/process-template.ts";
export {
  type OutputGuard,
  type RenderingTraits,
  PlugData,
  type PlugOptions,
  PlugTemplate,
  type PlugRendering,
  renderObject,
} from "./plug/index.ts";
