import type { Secret } from "#base";
import type { VaultSecretRef } from "../data/integration.ts";

/** Which secret is asked for, and for whom. */
export interface TokenQuestion {
  readonly cluster: string;
  readonly reference: VaultSecretRef;
}

/** The fields of one secret. */
export type SecretFields = ReadonlyMap<string, Secret>;

/** Where the tokens are that data files only refer to. */
export interface TokenStore {
  /** For messages: `the directory /etc/tokens`. */
  readonly description: string;
  /** Undefined if there is no such secret. A secret may well lack the field that was asked for. */
  read(question: TokenQuestion, signal: AbortSignal): Promise<SecretFields | undefined>;
}

/** Beside the token: the API server that it is for, and who signed that server's certificate. */
export const serverField = "server";
export const authorityField = "ca.crt";
