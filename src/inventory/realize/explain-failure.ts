import { describeError, redact, valueAt } from "#base";
import { ApiError, ConnectionError, FieldConflictError } from "#kube";
import { grantMissingRight } from "../missing-right.ts";
import { WaitedTooLong } from "./wait.ts";

const longest = 600;

/**
 * For people. The server may quote values, so for a Secret the message says only what is wrong with which field; for others not more
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
  return error.next ?? grantMissingRight(error);
}

function isTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.isForbidden && error.hasCause("NamespaceTerminating");
}

/** The namespace that an object should be in does not exist. */
export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof ApiError && error.isNotFound && error.details?.kind === "namespaces";
}

/** What about an object the API server refuses to change. */
type Refused = "field" | "stateful-set" | "address";

export function refusedChange(error: unknown): Refused | undefined {
  if (!(error instanceof ApiError && error.isInvalid)) return undefined;
  if (/updates to statefulset spec for fields other than/.test(error.message)) return "stateful-set";
  if (/: may not change once set|: primary clusterIP can not be unset/.test(error.message)) return "address";
  return /Invalid value: [^]*: field is immutable/.test(error.message) ? "field" : undefined;
}

/** What the server says of a field without quoting its value; anything else it says is left out. */
const harmless = [
  /\.[^\s:,]+: (?:field not declared in schema|expected [a-z]+)/g,
  /illegal base64 data at input byte \d+/g,
  /(?:unknown|duplicate) field "[^"]*"/g,
];

/** What is wrong with a Secret that was refused: the fields and what is the matter with them, but nothing of their values. */
function explainSecretFailure(error: unknown, body: unknown): string {
  if (error instanceof FieldConflictError || error instanceof WaitedTooLong) return redact(error.message);
  const status = error instanceof ApiError ? ` (${error.status} ${error.reason})` : "";
  const faults = [...new Set([...faultsOf(error), ...notEncoded(error, body)])];
  return `REDACTED${status}${faults.length === 0 ? "" : `: ${redact(faults.join(", "))}`}`;
}

function faultsOf(error: unknown): string[] {
  const causes = error instanceof ApiError ? (error.details?.causes ?? []) : [];
  if (causes.length > 0)
    return causes.map(({ field = "", reason = "" }) => `${field} ${/^\w*$/.test(reason) ? reason : ""}`.trim());
  const text = error instanceof Error ? error.message : "";
  return harmless.flatMap((pattern) => text.match(pattern) ?? []);
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The server does not say which field it could not decode. */
function notEncoded(error: unknown, body: unknown): string[] {
  if (!(error instanceof Error) || !error.message.includes("illegal base64 data")) return [];
  const data = Object.entries(valueAt(body, ["data"]) ?? {});
  return data.flatMap(([key, value]) => (isEncoded(value) ? [] : [`data.${key} is not base64`]));
}

function isEncoded(value: unknown): boolean {
  return typeof value === "string" && base64.test(value.replaceAll(/[\r\n]/g, ""));
}
