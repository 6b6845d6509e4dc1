import { InputError } from "#base";
import type { Credential } from "../access/cluster-access.ts";
import type { Identity, KubeRequest } from "./request.ts";

export interface HeaderSources {
  readonly request: KubeRequest;
  readonly credential: Credential;
  readonly identity: Identity | undefined;
  readonly userAgent: string;
  readonly acceptsGzip: boolean;
}

/** Several values become several lines. Refuses names and values that could inject another header. */
export function requestHeaders(sources: HeaderSources): Record<string, string | string[]> {
  const { request, credential, identity, userAgent, acceptsGzip } = sources;
  const headers: Record<string, string | string[]> = {
    accept: "application/json",
    "user-agent": userAgent,
    ...(acceptsGzip ? { "accept-encoding": "gzip" } : {}),
    ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
    ...lowerCased(request.headers ?? {}),
    ...(identity === undefined ? {} : impersonation(identity)),
    ...(credential.token === undefined ? {} : { authorization: `Bearer ${credential.token.reveal()}` }),
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, onTheWire(name, value)]));
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
function impersonation({ user, groups = [], uid, extra = {} }: Identity): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${escapeExtraKey(key)}`,
    [...values],
  ]);
  return {
    "impersonate-user": user,
    ...(groups.length === 0 ? {} : { "impersonate-group": [...groups] }),
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...Object.fromEntries(extras),
  };
}

/** The server lower-cases the key and then undoes percent-encoding, so that upper case survives only when encoded. */
function escapeExtraKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      const isKept = /[a-z0-9!#$&'*+.^_`|~-]/.test(character);
      return isKept ? character : `%${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

function onTheWire(name: string, value: string | string[]): string | string[] {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
    throw new InputError(`${JSON.stringify(name)} is not a valid header name`);
  return typeof value === "string" ? fieldValue(name, value) : value.map((item) => fieldValue(name, item));
}

/** undici writes each character as one byte, and Kubernetes reads the bytes as UTF-8. */
function fieldValue(name: string, value: string): string {
  if (/^[ -~]*$/.test(value)) return value;
  if (/\p{Cc}/u.test(value)) {
    throw new InputError(`the value of the header ${name} contains a control character`, {
      next: "remove line breaks and other control characters from it",
    });
  }
  return Buffer.from(value).toString("latin1");
}
