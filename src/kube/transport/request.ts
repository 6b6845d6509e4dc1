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
  /** Whether it may be sent again when nobody knows if the server acted on it; default: it is a GET. */
  readonly isIdempotent?: boolean;
  /** Statuses other than 2xx are answers too; for what the API server only passes on. */
  readonly passesFailures?: boolean;
}

export interface KubeResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** On whose behalf a call is made. */
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
