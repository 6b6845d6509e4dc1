import { describeError, redact } from "#base";
import { ApiError, ConnectionError } from "#kube";

const longest = 600;

/** For people. The server may quote values, so of a Secret nothing is told but its status; of others not more than they want to read. */
export function explainFailure(
  error: unknown,
  kind: string,
): { readonly reason: string; readonly next?: string | undefined } {
  const next = nextOf(error);
  if (kind === "Secret" && !(error instanceof ConnectionError)) {
    const status = error instanceof ApiError ? ` (${error.status} ${error.reason})` : "";
    const fields = error instanceof ApiError ? fieldsOf(error) : "";
    return { reason: `REDACTED${status}${fields}`, next };
  }
  const text = describeError(error);
  return { reason: text.length > longest ? `${text.slice(0, longest)}… (shortened)` : text, next };
}

/** Which fields are at fault, without their values. */
function fieldsOf({ details }: ApiError): string {
  const fields = new Set(details?.causes?.flatMap(({ field }) => field ?? []));
  return fields.size === 0 ? "" : ` at ${redact([...fields].join(", "))}`;
}

function nextOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (isTerminating(error)) return "wait until the namespace is gone, make it again, and run again";
  if (error.isForbidden && /exceeded quota/.test(error.message)) return "raise the quota, or want less";
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
