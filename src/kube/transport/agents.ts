import { createSecureContext, type ConnectionOptions } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import type { ClientCertificate, ClusterAccess } from "../access/cluster-access.ts";
import { ConnectionError } from "./connection-error.ts";
import { HttpAgent, HttpProxyAgent } from "./undici.ts";

/** The connections to one cluster: kept alive and bounded for calls, one each for streams. */
export interface Agents extends AsyncDisposable {
  calls(certificate: ClientCertificate | undefined): Dispatcher;
  streams(certificate: ClientCertificate | undefined): Dispatcher;
}

export interface AgentLimits {
  readonly connections: number;
  readonly connectTimeoutMs: number;
}

/** The API server closes connections that are idle for 90 s, load balancers often after 60 s: Tenon must close them first. */
const keepAliveTimeout = 30_000;
/** A watch may be silent for minutes; TCP probes detect a server that is gone. */
const probeStreamsAfterMs = 15_000;

type Pair = Readonly<Record<"calls" | "streams", Dispatcher>>;

/** A new client certificate gets new connections; the old ones close when their calls are done. */
export function openAgents(access: ClusterAccess, { connections, connectTimeoutMs }: AgentLimits): Agents {
  const retired = new Set<Dispatcher>();
  let isClosed = false;
  let current: { readonly certificate: ClientCertificate | undefined; readonly pair: Pair } | undefined;

  function pairFor(certificate: ClientCertificate | undefined): Pair {
    if (isClosed) {
      throw new ConnectionError(`the connections of ${access.context} were closed`, {
        failure: "closed",
        wasSent: false,
      });
    }
    if (current && current.certificate?.certificate === certificate?.certificate) return current.pair;
    const tls = tlsOptions(access, certificate, connectTimeoutMs);
    const pair = {
      calls: openAgent(access, { ...tls }, { connections, keepAliveTimeout }),
      streams: openAgent(access, { ...tls, keepAliveInitialDelay: probeStreamsAfterMs }, { keepAliveTimeout: 1000 }),
    };
    if (current) retire(current.pair);
    current = { certificate, pair };
    return pair;
  }

  function retire({ calls, streams }: Pair): void {
    for (const agent of [calls, streams]) {
      retired.add(agent);
      const forget = () => retired.delete(agent);
      agent.close().then(forget, forget);
    }
  }

  return {
    calls: (certificate) => pairFor(certificate).calls,
    streams: (certificate) => pairFor(certificate).streams,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const open = [...retired, ...(current ? Object.values(current.pair) : [])];
      await Promise.all(open.map((agent) => agent.destroy()));
    },
  };
}

interface TlsOptions extends Pick<ConnectionOptions, "secureContext" | "servername" | "rejectUnauthorized"> {
  timeout: number;
  keepAliveInitialDelay?: number;
}

/** One parsed context for all connections; Node would otherwise read the PEM texts again for each. */
function tlsOptions(access: ClusterAccess, certificate: ClientCertificate | undefined, timeout: number): TlsOptions {
  const secureContext = createSecureContext({
    ...(access.certificateAuthority === undefined ? {} : { ca: access.certificateAuthority }),
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key.reveal() }),
  });
  return {
    secureContext,
    timeout,
    ...(access.tlsServerName === undefined ? {} : { servername: access.tlsServerName }),
    ...(access.skipsTlsVerification === true ? { rejectUnauthorized: false } : {}),
  };
}

/** Without undici's timeouts, which would end a quiet watch: the transport sets its own for each kind of request. */
function openAgent({ proxy }: ClusterAccess, tls: TlsOptions, pool: Agent.Options): Dispatcher {
  const options = { ...pool, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  if (proxy === undefined) return new HttpAgent({ ...options, connect: tls });
  return new HttpProxyAgent({
    ...options,
    uri: proxy.reveal(),
    proxyTunnel: true,
    requestTls: tls,
    connectTimeout: tls.timeout,
  });
}
