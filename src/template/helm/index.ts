export type { Chart, ChartFile, ChartMetadata } from "./chart/chart.ts";
export { ChartError } from "./chart-error.ts";
export { loadChart } from "./chart/load-chart.ts";
export { type Capabilities, defaultCapabilities } from "./engine/capabilities.ts";
export { type KubeVersion, parseKubeVersion } from "./engine/capabilities.ts";
export { helmFunctions } from "./engine/helm-functions.ts";
export type { Lookup } from "./engine/rendering.ts";
export type { ChartRelease } from "./engine/template-scopes.ts";
export type { CrdFile } from "./manifest/crd-files.ts";
export type { Hook, HookEvent, ChartManifest } from "./manifest/read-manifest.ts";
export {
  type ReleaseParts,
  readReleaseText,
  releaseText,
  type SourcedText,
  selectionText,
  selectTemplates,
} from "./manifest/release-text.ts";
export { type RenderChartOptions, type RenderedChart, renderChart } from "./render-chart.ts";
export { type GivenValues, mergeValueSources, type ValueSources } from "./values/given-values.ts";
