import type { Dispatcher } from "undici";
import type { Clock } from "#base";
import { HttpAgent, type KubeClient } from "#kube";
import { describeObject, namespaceOf, type Plug, sideOf, type Socket } from "../../kinds/index.ts";
import { type Address, addressOf } from "./address.ts";
import { requestApparatus, type Send } from "./apparatus-request.ts";
import type { ApparatusSettings } from "./apparatus-settings.ts";
import { apiServerAddresses, checkUrl, guardedLookup, resolveBySystem } from "./egress.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { type OwnService, ServiceRoutes } from "./service-routes.ts";

interface ApparatusTransportOptions {
  readonly settings: ApparatusSettings;
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** Requests at once to the apparatus of one object, and connections to one host. */
export const atOnce = 32;
const connectTimeoutMs = 5_000;

/** Reaches apparatuses, wherever they are, and nothing that tenants must not reach through Tenon. */
export class ApparatusTransport implements Disposable {
  readonly #options: ApparatusTransportOptions;
  readonly #apiServer: () => Promise<readonly string[]>;
  readonly #guarded: Dispatcher;
  readonly #ofServices: Dispatcher;
  readonly #free = openAgent({});
  readonly #routes: ServiceRoutes;

  constructor(options: ApparatusTransportOptions) {
    this.#options = options;
    const { settings, client, clock } = options;
    const { isInCluster, clusterDomain, proxyClient = client, resolve = resolveBySystem } = settings;
    this.#apiServer = apiServerAddresses(settings.apiServer, resolve, clock);
    this.#guarded = openAgent({ lookup: guardedLookup(this.#apiServer, resolve) });
    this.#ofServices = openAgent({ lookup: guardedLookup(this.#apiServer, serviceAddresses(client, clusterDomain)) });
    this.#routes = new ServiceRoutes({ isInCluster, clusterDomain, guarded: this.#guarded, proxyClient, clock });
  }

  /** Where the apparatus of an object is; undefined if it has none. */
  addressOf(object: Plug | Socket): Address | undefined {
    const { clusterDomain, debugEndpoints } = this.#options.settings;
    return addressOf(object, { clusterDomain, debugEndpoint: debugEndpoints[sideOf(object)] });
  }

  /** Sends to a service that Tenon does not run; throws if the object's owner may not name it. */
  async toEndpoint(url: URL, object: Plug | Socket): Promise<Send> {
    const { settings, clock } = this.#options;
    const isDebugged = settings.debugEndpoints[sideOf(object)] !== undefined;
    const agent = isDebugged ? this.#free : await this.#agentFor(url, object);
    return (request, timeoutMs, signal) => requestApparatus(agent, url.origin, request, { clock, timeoutMs }, signal);
  }

  /** Sends to the Service of an own pod. */
  toService(service: OwnService): Send {
    return (request, timeoutMs, signal) => this.#routes.send(service, request, timeoutMs, signal);
  }

  [Symbol.dispose](): void {
    // The next process repeats the calls that are cut off.
    for (const agent of [this.#guarded, this.#ofServices, this.#free]) agent.destroy().catch(() => {});
  }

  async #agentFor(url: URL, object: Plug | Socket): Promise<Dispatcher> {
    const { allow, clusterDomain } = this.#options.settings;
    const rules = { allow, clusterDomain, apiServer: await this.#apiServer() };
    const leave = checkUrl(url, namespaceOf(object), rules, `${describeObject(object)} spec.apparatus.endpoint`);
    return leave === "allowed" ? this.#guarded : this.#ofServices;
  }
}

/** Without time limits of its own: each caller sets them per call. */
function openAgent(connect: { readonly lookup?: ReturnType<typeof guardedLookup> }): Dispatcher {
  return new HttpAgent({
    connect: { timeout: connectTimeoutMs, ...connect },
    connections: atOnce,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
