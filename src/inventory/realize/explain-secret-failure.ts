import { redact, valueAt } from "#base";
import { ApiError, FieldConflictError } from "#kube";
import { WaitedTooLong } from "./wait.ts";

/** What the server says of a field without quoting what is in it; anything else it says is not told. */
const harmless = [
  /\.[^\s:,]+: (?:field not declared in schema|expected [a-z]+)/g,
  /illegal base64 data at input byte \d+/g,
  /(?:unknown|duplicate) field "[^"]*"/g,
];

/** What is wrong with a Secret that was refused: the fields and what is the matter with them, but nothing of their values. */
export function explainSecretFailure(error: unknown, body: unknown): string {
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
