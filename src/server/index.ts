export { DataMetrics } from "./data-metrics.ts";
export {
  type DataServerSettings,
  readDataServerSettings,
  readBundleTtl,
} from "./data-server-settings.ts";
export { type BuildsServerOptions, buildsAudience, serveBuilds } from "./serve-builds.ts";
export type { OpenPort } from "./open-port.ts";
export { type DataServer, type DataServerOptions, serveData } from "./serve-data.ts";
export { serveWebhooks, type WebhookServerOptions } from "./serve-webhooks.ts";
export type { ConsoleData, ConsoleReports, PlanningPerson } from "./console/console-data.ts";
export { type ConsoleRoute, consoleRoutes, Failure } from "./console/console-api.ts";
export { type ConsoleOptions, type ConsoleServer, isLoopbackHost, serveConsole } from "./console/serve-console.ts";
export { loadFiles, type StaticFiles } from "./console/serve-files.ts";
export { IdentityProvider, type ProviderOptions } from "./console/oidc/identity-provider.ts";
export type { ImpersonationRule } from "./console/oidc/oidc-login.ts";
export type { OidcOptions } from "./console/oidc/oidc-routes.ts";
