import type { Secret } from "#base";
import type { Identity } from "../transport/request.ts";

/** A client certificate and its key, both PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: Secret;
}

/** What a call presents to the server. */
export interface Credential {
  readonly token?: Secret;
  readonly clientCertificate?: ClientCertificate;
}

/** Where credentials come from; they may change over time. */
export interface Credentials {
  current(signal?: AbortSignal): Promise<Credential>;
  /** After a 401: whether `current` gives something other than what was rejected. */
  renew(rejected: Credential, signal?: AbortSignal): Promise<boolean>;
}

/** How to reach one cluster, and with which identity. */
export interface ClusterAccess {
  /** The context's name, for messages. */
  readonly context: string;
  /** The files it was read from, for messages. */
  readonly source: string;
  readonly server: URL;
  /** The namespace to use where none is given. */
  readonly namespace: string;
  /** PEM; default: the CAs that Node trusts. */
  readonly certificateAuthority?: string;
  /** The name expected in the server's certificate, when not the host of `server`. */
  readonly tlsServerName?: string;
  /** Only when the kubeconfig says so. */
  readonly skipsTlsVerification?: boolean;
  readonly proxy?: Secret;
  readonly isCompressionDisabled?: boolean;
  readonly credentials: Credentials;
  readonly impersonation?: Identity;
}
