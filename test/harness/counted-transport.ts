import type { KubeRequest, Transport } from "#kube";

/** Reports each request, except watches. */
export function countedTransport(transport: Transport, note: (request: KubeRequest) => void): Transport {
  return {
    cluster: transport.cluster,
    send: (request, signal) => {
      note(request);
      return transport.send(request, signal);
    },
    open: (request, signal) => transport.open(request, signal),
    impersonate: (identity) => countedTransport(transport.impersonate(identity), note),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
