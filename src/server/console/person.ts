import { type Clock, InputError, type Logger } from "#base";
import { ApiError, type ClusterAccess, connect, createClient, keyOf, type KubeClient, type UserInfo } from "#kube";
import { ChangeFeed } from "./change-feed.ts";
import { type ConsoleList, consoleLists } from "./console-api.ts";
import { hasDataRight } from "./data-right.ts";
import type { DesiredIntegrations } from "./desired-integrations.ts";
import { integrationOf } from "./integration-rows.ts";
import { rowSources } from "./row-sources.ts";
import { ListStore } from "./list-store.ts";
import { MissingIntegrations } from "./missing-integrations.ts";
import type { OidcTokens } from "./oidc/oidc-login.ts";
import type { SharedObjects } from "./shared-objects.ts";

export interface PersonOptions {
  /** With the person's own credentials. */
  readonly access: ClusterAccess;
  /** Whether the credentials are those of the one who started the console. */
  readonly isStarter: boolean;
  readonly candidates: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly shared: SharedObjects;
  /** What the data runs on this cluster, if the console has data. */
  readonly desired?: DesiredIntegrations | undefined;
  /** Of a person whom an identity provider knows. */
  readonly login?: OidcTokens | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long the API server's word about a person counts. */
const trustMs = 30_000;

/** One person: their own connection to the API server, and what they see through it. */
export class Person implements AsyncDisposable {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
  readonly isStarter: boolean;
  readonly cluster: string;
  readonly feed = new ChangeFeed();
  readonly login: OidcTokens | undefined;
  readonly #lists: Readonly<Record<ConsoleList, ListStore>>;
  readonly #clock: Clock;
  #info: UserInfo | undefined;
  #knownAt = -Infinity;
  readonly #listening: Disposable | undefined;

  constructor({ access, isStarter, candidates, shared, desired, login, clock, log }: PersonOptions) {
    this.access = access;
    this.isStarter = isStarter;
    this.#clock = clock;
    this.login = login;
    this.cluster = access.context;
    this.client = createClient(connect(access));
    this.#listening = desired?.subscribe(() => this.feed.push({ list: "integrations", key: "" }));
    const missing =
      desired && new MissingIntegrations({ desired, maySeeData: (signal) => hasDataRight(this, signal), clock });
    const open = (list: ConsoleList) =>
      new ListStore({
        source: rowSources[list],
        client: this.client,
        shared,
        candidates,
        missing: list === "integrations" ? missing : undefined,
        clock,
        log,
        onScopeChange: () => this.feed.push({ list, key: "" }),
        onChange: (object) => {
          const key =
            list === "integrations" ? integrationKey(object.metadata.namespace, integrationOf(object)) : keyOf(object);
          if (key !== undefined) this.feed.push({ list, key });
        },
      });
    this.#lists = {
      integrations: open("integrations"),
      plugs: open("plugs"),
      sockets: open("sockets"),
      snapshots: open("snapshots"),
      releases: open("releases"),
      propagations: open("propagations"),
      claims: open("claims"),
    };
  }

  list(list: ConsoleList): ListStore {
    return this.#lists[list];
  }

  /** Who the API server thinks this is. Fails with a 401 once it no longer accepts the credentials. */
  async identify(signal: AbortSignal): Promise<UserInfo> {
    await this.login?.current(signal);
    if (this.#info && this.#clock.monotonic() - this.#knownAt < trustMs) return this.#info;
    const info = await this.client.whoAmI(signal).catch((error: unknown) => {
      // An anonymous caller may not ask.
      if (error instanceof ApiError && error.isForbidden) throw unknownCaller();
      throw error;
    });
    if (info.user === "system:anonymous") throw unknownCaller();
    this.#info = info;
    this.#knownAt = this.#clock.monotonic();
    return info;
  }

  /** Someone logs in with these credentials: what the API server said about them before counts no longer. */
  doubt(): void {
    this.#knownAt = -Infinity;
    for (const list of consoleLists) this.#lists[list].doubt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening?.[Symbol.dispose]();
    for (const list of consoleLists) this.#lists[list].close();
    await this.client.transport[Symbol.asyncDispose]();
  }
}

function unknownCaller(): InputError {
  return new InputError("the API server does not know this token", { next: "get a new token, and log in again" });
}

function integrationKey(namespace: string | undefined, integration: string | undefined): string | undefined {
  return integration === undefined ? undefined : `${namespace}/${integration}`;
}
