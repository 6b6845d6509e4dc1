import { InputError, QuotingError, redact } from "#base";
import type { RegistryCredential } from "./docker-config.ts";

export interface RegistryErrorDetails {
  /** Undefined if there was no answer. */
  readonly status?: number;
  /** How long the registry asks to wait. */
  readonly retryAfterMs?: number;
  readonly next?: string;
  readonly cause?: unknown;
}

/** A registry failed, or what it sent is wrong; another attempt may succeed. What the user must change is an `InputError`. */
export class RegistryError extends QuotingError {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly next: string | undefined;

  constructor(what: string, { status, retryAfterMs, next, cause }: RegistryErrorDetails = {}) {
    super(next === undefined ? what : `${what}; ${next}`, cause === undefined ? {} : { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.next = next;
  }

  override get name(): string {
    return "RegistryError";
  }
}

/** Content that is not what its digest says. */
export class DigestMismatch extends RegistryError {
  constructor(where: string, expected: string, actual: string) {
    super(`${where}: expected content with the digest ${expected}, got ${actual}`, {
      next: "nothing was tagged; check the registry and what lies before it, such as a caching proxy, then run again",
    });
  }

  override get name(): string {
    return "DigestMismatch";
  }
}

/** What a request was about, for messages. */
export interface RequestSubject {
  /** The repository's full name, with the tag or digest if the request has one. */
  readonly where: string;
  /** What the request needs: `pull` or `pull,push`. */
  readonly actions: string;
  readonly registry: string;
  readonly credential: RegistryCredential | undefined;
  /** The credential helper that a Docker configuration names for this registry. */
  readonly helper: string | undefined;
}

export interface UnusableAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
}

/** The error of an answer that the caller cannot use. */
export function answerError(subject: RequestSubject, answer: UnusableAnswer): Error {
  const { status } = answer;
  const said = `${status}${quote(answer.text)}`;
  if (status === 401 || status === 403) return deniedError(subject, said);
  if (status === 404) {
    return new InputError(redact(`not found (${said})`), {
      where: subject.where,
      next: "check the name; a registry may also hide what your credentials may not read",
    });
  }
  const retryAfterMs = answer.retryAfterMs;
  const isBusy = status === 429 || status >= 500;
  return new RegistryError(`${subject.where}: the registry answers ${said}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isBusy ? { next: "run again later" } : {}),
  });
}

/** Names the credential and the right that is missing, so that the user knows which of the two to change. */
export function deniedError(
  { where, actions, registry, credential, helper }: RequestSubject,
  said: string,
): InputError {
  const right = `\`${actions}\` on ${where}`;
  if (credential) {
    const user = credential.username === undefined ? "" : ` of user ${credential.username}`;
    return new InputError(redact(`the registry denies access (${said})`), {
      where,
      next: `the credentials${user} come from ${credential.source}: check that they are still valid, and give them the right to ${right}`,
    });
  }
  const helped =
    helper === undefined
      ? ""
      : `; the Docker configuration refers to the credential helper ${helper}, which Tenon does not run`;
  return new InputError(redact(`the registry denies access without credentials (${said})`), {
    where,
    next: `add credentials for ${registry} with the right to ${right}: \`docker login ${registry}\` or an image pull Secret${helped}`,
  });
}

/** Seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#name-retry-after */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Codes and messages of the registry; at most a line. */
function quote(text: string): string {
  const messages = readErrors(text);
  return messages.length === 0 ? "" : ` ${messages.join("; ").slice(0, 300)}`;
}

function readErrors(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("errors" in value) || !Array.isArray(value.errors)) return [];
    return value.errors.flatMap((error: unknown) => {
      if (typeof error !== "object" || error === null) return [];
      const parts = ["code" in error ? error.code : "", "message" in error ? error.message : ""];
      return parts.filter((part) => typeof part === "string" && part !== "").join(": ");
    });
  } catch {
    return [];
  }
}
