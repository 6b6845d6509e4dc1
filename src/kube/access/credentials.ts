import type { Secret } from "#base";
import type { ClientCertificate, Credential, Credentials } from "./cluster-access.ts";
import type { RotatingValue } from "./rotating-value.ts";

/** Credentials that never change. */
export function fixedCredentials(credential: Credential): Credentials {
  return { current: async () => credential, renew: async () => false };
}

export const anonymousCredentials: Credentials = fixedCredentials({});

export interface CredentialParts {
  readonly token?: RotatingValue<Secret> | undefined;
  readonly clientCertificate?: RotatingValue<ClientCertificate> | undefined;
}

/** Credentials from files that are replaced while the process runs. */
export function rotatingCredentials({ token, clientCertificate }: CredentialParts): Credentials {
  return {
    async current() {
      return credentialOf(await token?.current(), await clientCertificate?.current());
    },
    async renew(rejected) {
      return !isSameCredential(rejected, credentialOf(await token?.refresh(), await clientCertificate?.refresh()));
    },
  };
}

function credentialOf(token: Secret | undefined, clientCertificate: ClientCertificate | undefined): Credential {
  return { ...(token ? { token } : {}), ...(clientCertificate ? { clientCertificate } : {}) };
}

export function isSameCredential(one: Credential, other: Credential): boolean {
  const isSameToken = one.token && other.token ? one.token.equals(other.token) : one.token === other.token;
  return isSameToken && one.clientCertificate?.certificate === other.clientCertificate?.certificate;
}
