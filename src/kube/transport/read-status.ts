import { isRecord, redact } from "#base";
import { ApiError, type StatusCause, type StatusDetails } from "./api-error.ts";
import { explainForbidden } from "./forbidden.ts";
import { describeRequest, type KubeRequest } from "./request.ts";

/** A failed answer. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON of a `Status` from the API server; any text from a proxy in front of it. */
  readonly body: string;
}

interface Status {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
  readonly continueToken?: string;
}

/** The error for an answer other than 2xx to this request on this cluster. */
export function readApiError(answer: FailedAnswer, request: KubeRequest, cluster: string): ApiError {
  const status = readStatus(parseJson(answer.body));
  const said = status?.message ?? quoteRemoteText(answer);
  return explain({ ...status, code: answer.status, message: said }, request, cluster, retryAfterMs(answer, status));
}

/** The error for a `Status` that came with a watch event. */
export function apiErrorFromStatus(value: unknown, request: KubeRequest, cluster: string): ApiError {
  const status = readStatus(value) ?? {};
  const seconds = status.details?.retryAfterSeconds;
  return explain(status, request, cluster, seconds === undefined ? undefined : seconds * 1000);
}

/** Whether the body is the API server's own, and not that of a proxy or a backend. */
export function isStatus(body: string): boolean {
  return readStatus(parseJson(body)) !== undefined;
}

function explain(
  { code = 500, message: said = "no reason given", reason, details, continueToken }: Status,
  request: KubeRequest,
  cluster: string,
  retryAfter: number | undefined,
): ApiError {
  const message = isTooLong(said) ? `a message of ${said.length} characters, too many to show` : said;
  const word = reason || (reasons[code] ?? "Unknown");
  const next = code === 403 ? grant(message, request) : nextStep(code);
  return new ApiError(`${shorten(describeRequest(request))} on ${cluster}: ${message} (${code} ${word})`, {
    status: code,
    reason: word,
    ...(details === undefined ? {} : { details }),
    ...(continueToken === undefined ? {} : { continueToken }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
    ...(next === undefined ? {} : { next }),
  });
}

function grant(message: string, request: KubeRequest): string | undefined {
  const forbidden = explainForbidden(message, request);
  if (forbidden === undefined) return undefined;
  const whom = forbidden.user === undefined ? ` and bind it to the user that "kubectl auth whoami" names` : "";
  return `to allow it, apply this${whom}:\n\n${forbidden.manifests}`;
}

function nextStep(code: number): string | undefined {
  if (code === 401) return "log in again: the server does not accept the credentials of this context";
  return code >= 300 && code < 400 ? "set `server` of the cluster to where the API server really is" : undefined;
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Without zod, which would be loaded only for this: failed answers are frequent (404, 409). */
function readStatus(value: unknown): Status | undefined {
  if (!isRecord(value) || value["kind"] !== "Status") return undefined;
  const { code, reason, message, details, metadata } = value;
  const continueToken = isRecord(metadata) ? metadata["continue"] : undefined;
  return {
    ...(typeof code === "number" ? { code } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(isRecord(details) ? { details: readDetails(details) } : {}),
    ...(typeof continueToken === "string" && continueToken !== "" ? { continueToken } : {}),
  };
}

function readDetails(details: Record<string, unknown>): StatusDetails {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details;
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof group === "string" ? { group } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(Array.isArray(causes) ? { causes: causes.filter(isRecord).map(readCause) } : {}),
    ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}),
  };
}

function readCause({ reason, message, field }: Record<string, unknown>): StatusCause {
  return {
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof field === "string" ? { field } : {}),
  };
}

const longestQuote = 200;
/** Longer text is not shown at all: masking it would take too long, and cutting it first could show a part of a secret. */
const longestRead = 2 ** 16;

function isTooLong(text: string): boolean {
  return text.length > longestRead;
}

const webPage = "this is not the API server's answer but a web page";

/** Text of the API server or of a proxy in front of it, which may echo the request, our token included. */
function quoteRemoteText({ body, headers = {} }: FailedAnswer): string {
  const isHtml = headers["content-type"]?.includes("html") ?? /^\s*</.test(body);
  if (isTooLong(body)) return `${isHtml ? webPage : "an answer"} of ${body.length} characters, too many to show`;
  const text = isHtml ? body.replaceAll(/<(style|script)[^]*?<\/\1>|<[^>]*>/gi, " ") : body;
  const line = redact(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line === "") return "the answer has no text";
  return isHtml ? `${webPage}: ${shorten(line)}` : shorten(line);
}

function shorten(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}...`;
}

/** Seconds or, from proxies, a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after . Dates are ignored. */
function retryAfterMs({ headers = {} }: FailedAnswer, status: Status | undefined): number | undefined {
  const header = headers["retry-after"];
  if (header !== undefined && /^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const seconds = status?.details?.retryAfterSeconds;
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}
