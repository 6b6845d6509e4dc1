export { DataMetrics } from "./data-metrics.ts";
export { type DataSettings, readDataSettings, readTtl } from "./data-settings.ts";
export { type DataServer, type DataServerOptions, serveData } from "./serve-data.ts";
