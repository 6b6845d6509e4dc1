export { DataMetrics } from "./data-metrics.ts";
export {
  type DataServerSettings,
  readDataServerSettings,
  readBundleTtl,
} from "./data-server-settings.ts";
export { type DataServer, type DataServerOptions, serveData } from "./serve-data.ts";
export { serveWebhooks, type WebhookServer, type WebhookServerOptions } from "./serve-webhooks.ts";
