import { InputError, isRecord } from "#base";
import type { KubeClient } from "./client.ts";
import { readApiError } from "../transport/read-status.ts";
import type { KubeRequest, KubeResponse } from "../transport/request.ts";
import { pathSegment } from "./resource-path.ts";

/** A call of a Service from outside the cluster, through the API server. */
export interface ServiceRequest {
  readonly namespace: string;
  readonly service: string;
  /** Number or name; may be left out when the Service has one port. */
  readonly port?: number | string | undefined;
  /** How the API server speaks to the Service; default `http`. It does not verify certificates. */
  readonly scheme?: "http" | "https" | undefined;
  readonly method?: "GET" | "POST" | undefined;
  /** Not encoded, and without a query: `/api/v1/things`. */
  readonly path?: string | undefined;
  readonly query?: KubeRequest["query"];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Default: `application/json`. */
  readonly contentType?: string | undefined;
  /** Whether a POST may arrive twice. */
  readonly isIdempotent?: boolean | undefined;
}

/**
 * What the Service answered, whatever its status. Throws `ApiError` when the API server did not get that far: the
 * Service has no endpoints, they cannot be reached, or the call is not allowed.
 */
export async function callService(
  { transport }: Pick<KubeClient, "transport">,
  call: ServiceRequest,
  signal?: AbortSignal,
): Promise<KubeResponse> {
  const { method = "GET", query = {}, headers = {}, body, contentType, isIdempotent } = call;
  const request: KubeRequest = {
    method,
    path: servicePath(call),
    query,
    headers: { accept: "*/*", ...checkHeaders(headers) },
    passesFailures: true,
    ...(body === undefined ? {} : { body: typeof body === "string" ? Buffer.from(body) : body }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(isIdempotent === undefined ? {} : { isIdempotent }),
  };
  const answer = await transport.send(request, signal);
  if (isOfApiServer(answer)) throw readApiError(answer, request, transport.cluster);
  return answer;
}

/** https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls */
function servicePath({ namespace, service, port, scheme, path = "/" }: ServiceRequest): string {
  const place = pathSegment(namespace, "a namespace");
  const parts = [...(scheme === undefined ? [] : [scheme]), service, ...portParts(scheme, port)];
  for (const part of parts) if (part.includes(":")) throw wrongPart(part);
  const target = parts.map((part) => (part === "" ? "" : pathSegment(part, "a part of a Service's address"))).join(":");
  return `/api/v1/namespaces/${place}/services/${target}/proxy${backendPath(path)}`;
}

/** With a scheme, the port is required, but may be empty. */
function portParts(scheme: string | undefined, port: number | string | undefined): string[] {
  if (port !== undefined) return [String(port)];
  return scheme === undefined ? [] : [""];
}

function backendPath(path: string): string {
  if (!path.startsWith("/")) {
    throw new InputError("the path of a call to a Service starts with /", { where: JSON.stringify(path) });
  }
  const segments = path.slice(1).split("/");
  const last = segments.pop() ?? "";
  const encoded = segments.map((segment) => pathSegment(segment, "a path segment"));
  return `/${[...encoded, last === "" ? "" : pathSegment(last, "a path segment")].join("/")}`;
}

function wrongPart(part: string): InputError {
  return new InputError("a part of a Service's address must not contain a colon", {
    where: JSON.stringify(part),
    next: "give scheme and port apart from the name",
  });
}

/** The API server acts on these headers itself, with the rights of the client. */
const readByApiServer =
  /^(authorization|impersonate-.*|x-remote-.*|host|connection|upgrade|content-length|transfer-encoding)$/i;

function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const foreign = Object.keys(headers).filter((name) => readByApiServer.test(name));
  if (foreign.length === 0) return headers;
  throw new InputError(`a call to a Service must not carry the header ${foreign.toSorted().join(", ")}`, {
    next: "leave it out: it would be for the API server, not for the Service",
  });
}

/** The API server's own failures are a `Status`. A backend's answer in this form is treated alike. */
function isOfApiServer({ status, headers, body }: KubeResponse): boolean {
  if (status < 400 || headers["content-type"]?.startsWith("application/json") !== true) return false;
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && value.kind === "Status" && value.apiVersion === "v1" && value.status === "Failure";
  } catch {
    return false;
  }
}
