export { DataMetrics } from "./data-metrics.ts";
export {
  type DataServerSettings,
  readDataServerSettings,
  readBundleTtl,
} from "./data-server-settings.ts";
export { type DataServer, type DataServerOptions, serveData } from "./serve-data.ts";
