import { type Clock, systemClock } from "#base";
import { noCredentials, type RegistryCredential, type RegistryCredentials } from "./docker-config.ts";
import { isLoopback } from "./hop-check.ts";
import { apiHost, type RepositoryName } from "./image-reference.ts";
import { RegistryHttp } from "./registry-http.ts";
import { RegistryAuthorizer } from "./registry-token.ts";
import { type RepositoryActions, RepositoryClient } from "./repository-client.ts";

export interface RegistrySettings {
  readonly credentials?: RegistryCredentials;
  /** Hosts, with their ports, that have no TLS. Those of this machine are assumed to have none unless a CA is given. */
  readonly plainHttp?: readonly string[];
  /** PEM of CAs to trust beside those that Node trusts. */
  readonly certificateAuthority?: string;
  readonly clock?: Clock;
  /** Between 0 and 1, for jitter. */
  readonly random?: () => number;
}

/** Registries, by the names in image references. Connects when the first request is made; tokens are kept and shared. */
export interface Registries extends AsyncDisposable {
  /** For requests about one repository. */
  client(repository: RepositoryName, actions: RepositoryActions): RepositoryClient;
  /** For copies from one repository to another; in one registry, and with one credential, both use one token. */
  clients(source: RepositoryName, target: RepositoryName, actions: RepositoryActions): ClientPair;
}

export interface ClientPair {
  readonly source: RepositoryClient;
  readonly target: RepositoryClient;
}

export function openRegistries(settings: RegistrySettings = {}): Registries {
  const { credentials = noCredentials, plainHttp = [], certificateAuthority, clock = systemClock } = settings;
  const http = new RegistryHttp(certificateAuthority);
  const isPlainAllowed = (host: string): boolean =>
    plainHttp.includes(host) || (certificateAuthority === undefined && isLoopback(host.replace(/:\d+$/, "")));
  const rules = { isPlainAllowed };
  const authorizers = new Map<string, RegistryAuthorizer>();

  function authorizerFor(origin: URL, credential: RegistryCredential | undefined): RegistryAuthorizer {
    const key = `${origin.origin} ${credential?.source ?? ""}`;
    const known = authorizers.get(key) ?? new RegistryAuthorizer({ registry: origin, credential, http, rules, clock });
    authorizers.set(key, known);
    return known;
  }

  function open(name: RepositoryName, actions: RepositoryActions, scopes: readonly string[]): RepositoryClient {
    const host = apiHost(name.registry);
    const origin = new URL(`${isPlainAllowed(host) ? "http" : "https"}://${host}`);
    return new RepositoryClient({
      name,
      origin,
      actions,
      scopes,
      http,
      authorizer: authorizerFor(origin, credentials.find(name)),
      rules,
      helper: credentials.helperFor(name.registry),
      clock,
      random: settings.random ?? Math.random,
    });
  }

  return {
    client: (name, actions) => open(name, actions, [scopeOf(name, actions)]),
    clients(source, target, actions) {
      const [own, other] = [scopeOf(target, actions), scopeOf(source, "pull")];
      const isShared =
        source.registry === target.registry && credentials.find(source)?.source === credentials.find(target)?.source;
      const both = source.repository === target.repository ? [own] : [own, other];
      return {
        source: open(source, "pull", isShared ? both : [other]),
        target: open(target, actions, isShared ? both : [own]),
      };
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** https://distribution.github.io/distribution/spec/auth/scope/ */
function scopeOf({ repository }: RepositoryName, actions: RepositoryActions): string {
  return `repository:${repository}:${actions}`;
}
