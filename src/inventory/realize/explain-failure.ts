import { describeError } from "#base";
import { ApiError, ConnectionError } from "#kube";
import { explainSecretFailure } from "./explain-secret-failure.ts";

const longest = 600;

/**
 * For people. The server may quote values, so of a Secret no more is told than what is the matter with which field; of others not more
 * than they want to read.
 */
export function explainFailure(
  error: unknown,
  { kind, body }: { readonly kind: string; readonly body?: unknown },
): { readonly reason: string; readonly next?: string | undefined } {
  const next = nextOf(error);
  if (kind === "Secret" && !(error instanceof ConnectionError))
    return { reason: explainSecretFailure(error, body), next };
  const text = describeError(error);
  return { reason: text.length > longest ? `${text.slice(0, longest)}… (shortened)` : text, next };
}

function nextOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (isTerminating(error)) return "wait until the namespace is gone, create it again, and run again";
  if (error.isForbidden && /exceeded quota/.test(error.message)) return "raise the quota, or request less";
  return error.next;
}

export function isTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.isForbidden && error.hasCause("NamespaceTerminating");
}

/** The namespace that an object should be in does not exist. */
export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof ApiError && error.isNotFound && error.details?.kind === "namespaces";
}

/** What about an object the API server refuses to change. */
export type Refused = "field" | "stateful-set" | "address";

export function refusedChange(error: unknown): Refused | undefined {
  if (!(error instanceof ApiError && error.isInvalid)) return undefined;
  if (/updates to statefulset spec for fields other than/.test(error.message)) return "stateful-set";
  if (/: may not change once set|: primary clusterIP can not be unset/.test(error.message)) return "address";
  return /Invalid value: [^]*: field is immutable/.test(error.message) ? "field" : undefined;
}
