import type { Secret } from "#base";
import type { KubeClient } from "./client.ts";
import { postReview } from "./reviews.ts";
import { objectPath } from "./resource-path.ts";

export interface TokenOptions {
  /** The recipients that accept the token; default: the API server. */
  readonly audiences?: readonly string[] | undefined;
  /** At least 600; default: the server's choice, an hour. The server may grant more or less. */
  readonly expirationSeconds?: number | undefined;
  /** The token becomes invalid when this object is deleted. */
  readonly boundTo?: {
    readonly apiVersion: string;
    readonly kind: "Pod" | "Secret" | "Node";
    readonly name: string;
    readonly uid?: string;
  };
}

export interface ServiceAccountToken {
  readonly token: Secret;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const serviceAccounts = {
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  isNamespaced: true,
};

/** A token of a service account, by the TokenRequest API. */
export async function requestToken(
  { transport }: Pick<KubeClient, "transport">,
  account: { readonly namespace: string; readonly name: string },
  { audiences, expirationSeconds, boundTo }: TokenOptions = {},
  signal?: AbortSignal,
): Promise<ServiceAccountToken> {
  const path = objectPath(serviceAccounts, { ...account, subresource: "token" });
  const spec = { audiences, expirationSeconds, boundObjectRef: boundTo };
  const question = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const { status } = await postReview(
    transport,
    path,
    question,
    ({ TokenRequestAnswer }) => TokenRequestAnswer,
    signal,
  );
  return { token: status.token, expiresAt: Date.parse(status.expirationTimestamp) };
}
