/** One call of the Kubernetes API. */
export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Like `/api/v1/namespaces/x/configmaps/y`; the caller has encoded its segments. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, bytes as they are. */
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Whether it may be sent again if it is unknown whether the server acted on it; default: only a GET. */
  readonly isIdempotent?: boolean;
  /** Returns statuses other than 2xx instead of throwing; for answers that the API server only forwards. */
  readonly passesFailures?: boolean;
}

export interface KubeResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The user on whose behalf a call is made. */
export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** How messages name a call: `GET /api/v1/pods?limit=500`. */
export function describeRequest(request: KubeRequest): string {
  return `${request.method} ${pathWithQuery(request)}`;
}

export function pathWithQuery({ path, query = {} }: Pick<KubeRequest, "path" | "query">): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
