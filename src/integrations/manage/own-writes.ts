import { isJsonObject, type JsonValue } from "#base";
import type { Transport } from "#kube";

/** A watch delivers a write within seconds; older ones are dropped, oldest first. */
const mostKept = 10_000;

/** The resource versions that we wrote ourselves: a watch event with one of them is not drift. */
export class OwnWrites {
  readonly #versions = new Map<string, Set<string>>();

  has(cluster: string, resourceVersion: string | undefined): boolean {
    return resourceVersion !== undefined && (this.#versions.get(cluster)?.has(resourceVersion) ?? false);
  }

  /** The transport, listened to. */
  readonly wrap = (cluster: string, transport: Transport): Transport => {
    const versions = this.#versions.get(cluster) ?? new Set();
    this.#versions.set(cluster, versions);
    return {
      cluster: transport.cluster,
      open: (request, signal) => transport.open(request, signal),
      impersonate: (identity) => this.wrap(cluster, transport.impersonate(identity)),
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
      async send(request, signal) {
        const response = await transport.send(request, signal);
        const version = request.method === "GET" ? undefined : versionIn(response.body);
        if (version !== undefined) versions.add(version);
        const [oldest] = versions.size > mostKept ? versions : [];
        if (oldest !== undefined) versions.delete(oldest);
        return response;
      },
    };
  };
}

function versionIn(body: string): string | undefined {
  if (!body.includes('"resourceVersion"')) return undefined;
  try {
    const object: JsonValue = JSON.parse(body);
    const metadata = isJsonObject(object) ? object["metadata"] : undefined;
    const version = isJsonObject(metadata) ? metadata["resourceVersion"] : undefined;
    return typeof version === "string" ? version : undefined;
  } catch {
    // The sender of the request reports it.
    return undefined;
  }
}
