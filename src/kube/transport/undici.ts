import type { Agent, Dispatcher, ProxyAgent } from "undici";
import requestFile from "undici/lib/api/api-request.js";
import AgentFile from "undici/lib/dispatcher/agent.js";
import ProxyAgentFile from "undici/lib/dispatcher/proxy-agent.js";

/**
 * The three parts of undici that every command needs, imported by their files: `import "undici"` loads its fetch, caches and
 * WebSockets too, which costs each command 60 ms. No other file imports these paths.
 *
 * They are not part of undici's API, so its version is pinned in package.json. Should an update move them, this file no
 * longer loads and the build of the bundle fails: import the same three names from "undici" then, or find the new paths.
 * `undici-parts.d.ts` gives them their types.
 */
export const HttpAgent: typeof Agent = AgentFile;
export const HttpProxyAgent: typeof ProxyAgent = ProxyAgentFile;
/** A method of dispatchers, which have it only where all of undici was imported: `httpRequest.call(dispatcher, options)`. */
export const httpRequest: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData> =
  requestFile;
